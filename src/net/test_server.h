// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "net/test_certificates.h"
#include "net/test_server_connection.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

struct ssl_ctx_st;

namespace berth::net {

struct TestServerOptions {
  std::optional<CertifiedKey> tls = {};  // none: clear text
  std::string client_ca = {};            // who certifies clients, which must show a certificate; empty: nobody
  uint32_t max_streams = 100;
  std::optional<uint64_t> goaway_after = {};  // requests, after which it leaves a connection
  uint16_t port = 0;                          // 0: any
};

// An HTTP/2 server on loopback, on a thread of its own. The handler runs there.
class TestServer {
 public:
  TestServer(TestServerOptions options, ServerHandler handler);
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  uint16_t port() const { return port_; }
  uint64_t connections() const { return accepted_; }
  // Runs on the server's thread.
  void Post(std::function<void()> call);
  // From now on nothing is read, written or accepted.
  void Freeze();
  // Closes all connections without a word.
  void Cut();

 private:
  void Serve();
  void Accept();
  void RunCalls();

  const TestServerOptions options_;
  const ServerHandler handler_;
  ssl_ctx_st* tls_ = nullptr;
  int listener_;
  int waker_;
  uint16_t port_ = 0;
  std::atomic<uint64_t> accepted_ = 0;
  Mutex mutex_;
  std::vector<std::function<void()>> calls_ BERTH_GUARDED_BY(mutex_);
  bool stopped_ = false;  // these three on the thread
  bool frozen_ = false;
  std::vector<std::shared_ptr<TestServerConnection>> open_;
  std::thread thread_;
};

}  // namespace berth::net
