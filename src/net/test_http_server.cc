// SPDX-License-Identifier: Apache-2.0
#include "net/test_http_server.h"

#include "base/check.h"

#include <thread>
#include <utility>

namespace berth::net {

HttpServerBed::~HttpServerBed() {
  thread_.Do([&] { server_.reset(); });
}

void HttpServerBed::Serve(RequestHandler handler, TlsServerOptions tls, HttpServerOptions options) {
  if (tls.identity.certificate.empty()) tls.identity = PairFor("DNS:a.test,IP:127.0.0.1");
  auto context = TlsServerContext::Make(tls);
  server_ = std::make_unique<HttpServer>(thread_.loop(), options, std::move(handler));
  BERTH_CHECK(server_->Listen({.address = "127.0.0.1"}).has_value());
  server_->SetTls(*std::move(context));
  thread_.Do([&] { server_->Start(); });
}

ServerKeyPair HttpServerBed::PairFor(const std::string& names) const {
  const CertifiedKey pair = authority_.IssueServer(names);
  return {pair.certificate, pair.key};
}

void HttpServerBed::WaitForConnections(size_t count) {
  size_t open = count + 1;
  while (open != count) {
    thread_.Do([&] { open = server_->connections(); });
    std::this_thread::yield();
  }
}

void EchoRequest(const ServerRequest& request, const Responder& respond) {
  respond({.headers = {{"content-type", "text/plain"}}, .body = request.method + " " + request.path + request.body});
}

}  // namespace berth::net
