// SPDX-License-Identifier: Apache-2.0
#include "net/test_bed.h"

#include <utility>

namespace berth::net {

ClientBed::ClientBed(ClientBedOptions options, ServerHandler handler)
    : options_(std::move(options)),
      handler_(std::move(handler)),
      certificate_(authority_.IssueServer(options_.names, options_.expired)) {
  StartServer();
  MakeClient({});
}

ClientBed::~ClientBed() {
  Do([&] { client_.reset(); });
}

void ClientBed::StartServer() {
  TestServerOptions options = {
      .max_streams = options_.max_streams, .goaway_after = options_.goaway_after, .port = port_};
  if (options_.tls && !options_.clear_text_server) options.tls = certificate_;
  if (options_.requires_client_certificate || !options_.client_name.empty()) {
    options.client_ca = authority_.certificate();
  }
  server_ = std::make_unique<TestServer>(options, handler_);
  port_ = server_->port();
}

void ClientBed::StopServer() { server_.reset(); }

void ClientBed::MakeClient(std::optional<ProxyServer> proxy) {
  Endpoint endpoint = {.host = options_.host, .port = port_, .http2_in_clear = true, .proxy = std::move(proxy)};
  if (options_.tls) {
    TlsOptions trust = options_.trust;
    if (trust.ca.empty()) trust.ca = authority_.certificate();
    if (!options_.client_name.empty()) {
      const CertifiedKey client = authority_.IssueClient(options_.client_name);
      trust.certificate = client.certificate;
      trust.key = client.key;
    }
    endpoint.tls = TlsClientContext::Make(trust).value();
  }
  Do([&] { client_ = std::make_unique<HttpClient>(loop(), std::move(endpoint), options_.client); });
}

std::shared_ptr<CollectedResponse> ClientBed::Send(Request request, std::optional<Duration> timeout,
                                                   HttpClient::ExchangeId* id) {
  auto response = std::make_shared<CollectedResponse>();
  Do([&] {
    const auto sent = client_->Send(std::move(request), response, {.timeout = timeout});
    if (id != nullptr) *id = sent;
  });
  return response;
}

std::vector<std::shared_ptr<CollectedResponse>> ClientBed::SendAll(const std::vector<Request>& requests) {
  std::vector<std::shared_ptr<CollectedResponse>> responses;
  Do([&] {
    for (const Request& request : requests) {
      responses.push_back(std::make_shared<CollectedResponse>());
      client_->Send(request, responses.back());
    }
  });
  return responses;
}

HttpClient::Stats ClientBed::stats() {
  HttpClient::Stats stats;
  Do([&] { stats = client_->stats(); });
  return stats;
}

}  // namespace berth::net
