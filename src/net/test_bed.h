// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http_client.h"
#include "net/test_certificates.h"
#include "net/test_loop_thread.h"
#include "net/test_server.h"
#include "net/tls.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::net {

struct ClientBedOptions {
  bool tls = true;
  std::string host = "127.0.0.1";
  std::string names = "IP:127.0.0.1";  // in the server's certificate
  bool expired = false;                // that certificate
  bool clear_text_server = false;      // though the client expects TLS
  uint32_t max_streams = 100;
  std::optional<uint64_t> goaway_after = {};
  std::string client_name = {};  // the client shows a certificate for it; empty: none
  bool requires_client_certificate = false;
  TlsOptions trust = {};  // an empty authority is the server's
  HttpClientOptions client = {};
};

// A server and a client for it, each on a thread of its own.
class ClientBed {
 public:
  ClientBed(ClientBedOptions options, ServerHandler handler);
  ~ClientBed();
  ClientBed(const ClientBed&) = delete;
  ClientBed& operator=(const ClientBed&) = delete;

  TestServer& server() { return *server_; }
  void StopServer();
  // On the same port.
  void StartServer();

  // Replaces the client by one that goes through a proxy.
  void MakeClient(std::optional<ProxyServer> proxy);
  void DestroyClient() { client_.reset(); }  // on the loop
  HttpClient& client() { return *client_; }  // on the loop
  Loop& loop() { return thread_.loop(); }
  void Do(const std::function<void()>& call) { thread_.Do(call); }

  std::shared_ptr<CollectedResponse> Send(Request request, std::optional<Duration> timeout = {},
                                          HttpClient::ExchangeId* id = nullptr);
  std::shared_ptr<CollectedResponse> Get(const std::string& path) { return Send({.path = path}); }
  // In one turn of the loop.
  std::vector<std::shared_ptr<CollectedResponse>> SendAll(const std::vector<Request>& requests);
  HttpClient::Stats stats();

 private:
  ClientBedOptions options_;
  ServerHandler handler_;
  TestAuthority authority_;
  CertifiedKey certificate_;
  uint16_t port_ = 0;
  std::unique_ptr<TestServer> server_;
  TestLoopThread thread_;
  std::unique_ptr<HttpClient> client_;
};

}  // namespace berth::net
