// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "kube/access/cluster_access.h"
#include "kube/access/surroundings.h"
#include "kube/client/api_client.h"
#include "log/logger.h"
#include "net/http_server.h"
#include "serve/authorizer.h"
#include "serve/client_authorities.h"
#include "serve/pages.h"
#include "serve/router.h"
#include "serve/serving_certificates.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::serve {

// How requests are received.
struct ServingOptions {
  net::ListenOptions listen = {};  // --bind-address, --secure-port, --permit-port-sharing
  ServingCertificateOptions certificates = {};
  std::string min_tls_version = {};             // --tls-min-version
  std::vector<std::string> cipher_suites = {};  // --tls-cipher-suites
  std::vector<int32_t> curves = {};             // --tls-curve-preferences
  bool http2 = true;                            // unless --disable-http2-serving
  uint32_t max_streams = 0;                     // --http2-max-streams-per-connection; 0: 100
  Duration reread_certificates = std::chrono::seconds(10);
};

// How their senders are recognised. Without access to a cluster, tokens are ignored and nothing is looked up there.
struct AuthenticationOptions {
  std::optional<kube::ClusterAccess> cluster = {};      // --authentication-kubeconfig, or from inside the cluster
  Duration token_cache_ttl = std::chrono::seconds(10);  // --authentication-token-webhook-cache-ttl
  ClientAuthorityOptions authorities = {};
};

// What they may do. Without access to a cluster, only what is always allowed.
struct AuthorizationOptions {
  std::optional<kube::ClusterAccess> cluster = {};  // --authorization-kubeconfig, or from inside the cluster
  AuthorizerOptions rules = {};
};

struct ServerOptions {
  ServingOptions serving = {};
  AuthenticationOptions authentication = {};
  AuthorizationOptions authorization = {};
  PageOptions pages = {};
  std::string user_agent = "berth";
  kube::Surroundings surroundings = kube::OfThisProcess();
};

// What the process tells others over HTTPS: whether it is well, its metrics, its configuration. It serves on a thread
// of its own; others of its threads ask API servers, and gather metrics. Made, started and stopped by one thread.
class Server {
 public:
  // Clock, and what the log writes to, outlive this; `observer` may be null, and is called on several threads.
  Server(ServerOptions options, const Clock& clock, log::Logger log = {}, kube::ApiObserver* observer = nullptr);
  // Stops at once if it was not stopped.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Serves one more path, to whoever is allowed to read it. Before Start.
  void Handle(Route route);
  // Listens, reads certificates, looks up who certifies clients, then serves. The error says what cannot be done.
  Result<void> Start();
  uint16_t port() const;  // once started
  // Takes no more requests, answers those under way within `grace`, and ends the threads.
  void Stop(Duration grace = std::chrono::seconds(5));

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::serve
