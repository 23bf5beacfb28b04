// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "log/logger.h"
#include "net/loop.h"
#include "net/server_message.h"
#include "net/server_session.h"
#include "net/tcp_listener.h"
#include "net/tls_server.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_set>

namespace berth::net {

class HttpServerConnection;

struct HttpServerOptions {
  ServerSessionLimits limits = {};
  size_t max_connections = 1'000;
  // For the TLS handshake, then for each request from its first byte on.
  Duration read_timeout = std::chrono::seconds(32);
  Duration idle_timeout = std::chrono::seconds(90);   // between requests
  Duration write_timeout = std::chrono::seconds(60);  // in which a client must take a part of its response
};

// Answers one request. Any thread, also when the server or its loop has gone; copies answer the same request, and only
// the first answer counts. A request that nobody answers is answered with 500 when the last copy goes.
class Responder {
 public:
  void operator()(ServerResponse response) const;
  // False when the connection has gone: who would find the answer may stop.
  bool wanted() const;

 private:
  friend class HttpServerConnection;
  class Answer;
  explicit Responder(std::shared_ptr<Answer> answer) : answer_(std::move(answer)) {}
  std::shared_ptr<Answer> answer_;
};

// Called on the loop; it may answer at once or later.
using RequestHandler = std::function<void(ServerRequest, Responder)>;

// A way to the loop for those who may outlive it. Any thread.
class LoopGate;

// HTTP/1.1 and HTTP/2 over TLS. On the loop, but for construction and Listen; destroyed when the loop has stopped, or
// on it.
class HttpServer {
 public:
  // The loop outlives this.
  HttpServer(Loop& loop, HttpServerOptions options, RequestHandler handler, log::Logger log = {});
  // Closes everything at once.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Before Start.
  Result<void> Listen(const ListenOptions& options);
  uint16_t port() const { return listener_->port(); }

  // For connections from now on. Before Start, then at any time.
  void SetTls(std::shared_ptr<const TlsServerContext> tls) { tls_ = std::move(tls); }
  // Serves from now on.
  void Start();

  // Takes no more connections or requests; answers those under way, and gives up what is left after `grace`. Calls back
  // when nothing is left.
  void Stop(Duration grace, std::function<void()> stopped);

  size_t connections() const { return connections_.size(); }

 private:
  friend class HttpServerConnection;
  void Accept(AcceptedSocket socket);
  bool MakeRoom();
  void Forget(HttpServerConnection& connection);
  void CheckStopped();

  Loop& loop_;
  const HttpServerOptions options_;
  const RequestHandler handler_;
  const log::Logger log_;
  const std::shared_ptr<LoopGate> gate_;
  std::unique_ptr<TcpListener> listener_;
  std::shared_ptr<const TlsServerContext> tls_;
  std::unordered_set<std::shared_ptr<HttpServerConnection>> connections_;
  std::function<void()> stopped_;  // empty: nobody has called Stop
  Loop::TimerId stop_timer_ = 0;
};

}  // namespace berth::net
