// SPDX-License-Identifier: Apache-2.0
#include "extender/extender_endpoint.h"

#include "kube/access/proxy.h"
#include "kube/access/url.h"
#include "net/tls.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace berth::extender {
namespace {

// The bytes in the configuration go before those of the file.
Result<std::string> DataOrFile(const std::string& data, const std::string& file) {
  if (!data.empty() || file.empty()) return data;
  Result<std::string> content = kube::ReadWholeFile(file);
  if (!content) return InvalidError(fmt::format("open {}: {}", file, content.error().message));
  return content;
}

Result<net::TlsOptions> TlsOf(const config::Extender& extender) {
  const config::ExtenderTls given = extender.tls.value_or(config::ExtenderTls());
  net::TlsOptions tls;
  BERTH_ASSIGN_OR_RETURN(tls.ca, DataOrFile(given.ca_data, given.ca_file));
  tls.server_name = given.server_name;
  tls.skip_verification = given.insecure || (extender.enable_https && tls.ca.empty());
  // A certificate without its key, or the other way round, is no certificate at all.
  const bool has_certificate = !given.cert_data.empty() || !given.cert_file.empty();
  const bool has_key = !given.key_data.empty() || !given.key_file.empty();
  if (has_certificate && has_key) {
    BERTH_ASSIGN_OR_RETURN(tls.certificate, DataOrFile(given.cert_data, given.cert_file));
    BERTH_ASSIGN_OR_RETURN(tls.key, DataOrFile(given.key_data, given.key_file));
  }
  return tls;
}

net::ProxyServer ProxyServerOf(const kube::Proxy& proxy) {
  net::ProxyServer server;
  server.protocol = proxy.is_socks ? net::ProxyServer::Protocol::Socks5 : net::ProxyServer::Protocol::Http;
  server.host = proxy.host;
  server.port = proxy.port;
  if (proxy.user) {
    server.authorization = kube::BasicAuthorization(*proxy.user);
    server.user = proxy.user->name;
    server.password = proxy.user->password;
  }
  return server;
}

}  // namespace

Result<net::Endpoint> EndpointOf(const config::Extender& extender, const kube::ServerAddress& server,
                                 const kube::Surroundings& surroundings) {
  net::Endpoint endpoint;
  endpoint.host = server.host;
  endpoint.port = server.port;
  BERTH_ASSIGN_OR_RETURN(const std::optional<kube::Proxy> proxy, kube::ProxyFromEnvironment(server, surroundings));
  if (proxy) endpoint.proxy = ProxyServerOf(*proxy);
  if (server.tls) {
    BERTH_ASSIGN_OR_RETURN(const net::TlsOptions tls, TlsOf(extender));
    BERTH_ASSIGN_OR_RETURN(endpoint.tls, net::TlsClientContext::Make(tls));
  }
  return endpoint;
}

}  // namespace berth::extender
