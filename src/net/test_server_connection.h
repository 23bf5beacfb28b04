// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

struct nghttp2_session;
struct ssl_ctx_st;
struct ssl_st;

namespace berth::net {

class TestServerConnection;

// One request at the test server, and its answer. On the server's thread.
class ServerStream {
 public:
  ServerStream(std::weak_ptr<TestServerConnection> connection, int32_t id)
      : connection_(std::move(connection)), id_(id) {}

  Request request;
  std::string client_name;  // the common name in the client's certificate

  // A whole response.
  void Respond(int status, std::string body, const Headers& headers = {});
  // A response in pieces.
  void Begin(int status, const Headers& headers = {});
  void Write(const std::string& piece);
  void Finish();
  void Reset(uint32_t code);
  // Lets the server leave the connection; `last` is the last stream it says it will answer.
  void GoAway(int32_t last);
  int32_t id() const { return id_; }
  size_t sent() const { return sent_; }  // of the body

 private:
  friend class TestServerConnection;
  std::weak_ptr<TestServerConnection> connection_;
  int32_t id_;
  std::string body_;
  size_t sent_ = 0;
  bool finished_ = false;
};

using ServerHandler = std::function<void(const std::shared_ptr<ServerStream>&)>;

// One connection of the test server: socket, TLS, HTTP/2. On the server's thread.
class TestServerConnection : public std::enable_shared_from_this<TestServerConnection> {
 public:
  // Takes the descriptor over; without a context in clear text.
  TestServerConnection(int descriptor, ssl_ctx_st* tls, uint32_t max_streams, std::optional<uint64_t> goaway_after,
                       ServerHandler handler);
  ~TestServerConnection();
  TestServerConnection(const TestServerConnection&) = delete;
  TestServerConnection& operator=(const TestServerConnection&) = delete;

  int descriptor() const { return descriptor_; }
  bool WantsToWrite() const { return !outgoing_.empty(); }
  // Reads and writes what is possible; false when the connection is over.
  bool Step();
  void GoAway(int32_t last);

 private:
  friend class ServerStream;
  class Callbacks;
  bool Handshake();
  bool ReadAll();
  bool WriteAll();
  void RequestEnded(int32_t id);
  void SubmitHead(ServerStream& stream, int status, const Headers& headers, bool body);

  int descriptor_;
  ssl_st* ssl_ = nullptr;
  bool shaken_ = false;
  nghttp2_session* session_ = nullptr;
  const std::optional<uint64_t> goaway_after_;
  uint64_t requests_ = 0;
  int32_t last_answered_ = INT32_MAX;
  ServerHandler handler_;
  std::string client_name_;
  std::map<int32_t, std::shared_ptr<ServerStream>> streams_;
  std::string outgoing_;
};

}  // namespace berth::net
