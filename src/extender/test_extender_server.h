// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "net/http.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace berth::extender {

// A request as a TestExtenderServer has received it.
struct AskedQuestion {
  std::string line;      // "POST /filter HTTP/1.1"
  net::Headers headers;  // names in lower case
  std::string body;

  std::string Header(std::string_view name) const;
};

// The client of one connection, on its thread.
class AskingClient {
 public:
  explicit AskingClient(int descriptor) : descriptor_(descriptor) {}

  // A whole response that keeps the connection.
  void Answer(int status, std::string_view body);
  // Any bytes; false when the client has gone.
  bool Write(std::string_view bytes);
  // Waits until the client closes the connection.
  void WaitForEnd();
  // Closes the connection when the handler has returned.
  void Leave() { leaves_ = true; }
  bool leaves() const { return leaves_; }

 private:
  const int descriptor_;
  bool leaves_ = false;
};

// An extender on loopback that speaks HTTP/1.1 in clear text and answers as the test says, be it nonsense. Each
// connection has a thread, on which the handler is called.
class TestExtenderServer {
 public:
  using Handler = std::function<void(const AskedQuestion& question, AskingClient& client)>;
  explicit TestExtenderServer(Handler handler);
  // Cuts all connections; a handler that waits for something else must be let go before.
  ~TestExtenderServer();
  TestExtenderServer(const TestExtenderServer&) = delete;
  TestExtenderServer& operator=(const TestExtenderServer&) = delete;

  std::string url() const;
  std::vector<AskedQuestion> asked() const BERTH_EXCLUDES(mutex_);
  size_t connections() const { return connections_; }

 private:
  void Accept();
  void Serve(int descriptor);

  const Handler handler_;
  int listener_;
  uint16_t port_ = 0;
  std::atomic<size_t> connections_ = 0;
  mutable Mutex mutex_;
  bool stopped_ BERTH_GUARDED_BY(mutex_) = false;
  std::vector<int> open_ BERTH_GUARDED_BY(mutex_);
  std::vector<AskedQuestion> asked_ BERTH_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;  // the accepting thread, then the destructor
  std::thread accepting_;
};

}  // namespace berth::extender
