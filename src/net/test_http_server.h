// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http_server.h"
#include "net/test_certificates.h"
#include "net/test_loop_thread.h"
#include "net/test_tls_client.h"

#include <functional>
#include <memory>
#include <string>

namespace berth::net {

// A server on loopback, on a thread of its own.
class HttpServerBed {
 public:
  HttpServerBed() = default;
  ~HttpServerBed();
  HttpServerBed(const HttpServerBed&) = delete;
  HttpServerBed& operator=(const HttpServerBed&) = delete;

  // Serves with the certificate of "a.test" unless told otherwise.
  void Serve(RequestHandler handler, TlsServerOptions tls = {}, HttpServerOptions options = {});
  ServerKeyPair PairFor(const std::string& names) const;
  TestTlsClientOptions Client() const { return {.port = server_->port()}; }
  // On the server's loop.
  void Do(const std::function<void()>& call) { thread_.Do(call); }
  // Waits until the server has that many.
  void WaitForConnections(size_t count);

 protected:
  TestAuthority authority_;
  TestLoopThread thread_;
  std::unique_ptr<HttpServer> server_;
};

// Answers with the method, the path and the body.
void EchoRequest(const ServerRequest& request, const Responder& respond);

}  // namespace berth::net
