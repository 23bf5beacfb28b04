// SPDX-License-Identifier: Apache-2.0
#include "kube/access/proxy.h"

#include "kube/access/no_proxy.h"

#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

Result<Proxy> MakeProxy(Url url) {
  if (url.scheme == "https") {
    return InvalidError("Berth does not support https proxies: use an http or socks5 proxy");
  }
  const bool is_socks = url.scheme == "socks5" || url.scheme == "socks5h";
  if (!is_socks && url.scheme != "http") {
    return InvalidError(fmt::format("unsupported scheme \"{}\", must be http or socks5", url.scheme));
  }
  if (url.host.empty()) return InvalidError("it names no host");
  return Proxy{is_socks, std::move(url.host), url.port.value_or(is_socks ? 1080 : 80), std::move(url.user)};
}

struct NamedVariable {
  std::string name;
  std::string value;
};

NamedVariable FirstSet(const Surroundings& surroundings, const char* upper, const char* lower) {
  for (const char* name : {upper, lower}) {
    if (std::string value = surroundings.Variable(name); !value.empty()) return {name, std::move(value)};
  }
  return {};
}

}  // namespace

Result<Proxy> ParseProxy(std::string_view url) {
  Result<Url> parsed = ParseUrl(url);
  if (!parsed) return InvalidError(fmt::format("could not parse: {}", parsed.error().message));
  return MakeProxy(*std::move(parsed));
}

Result<std::optional<Proxy>> ProxyFromEnvironment(const ServerAddress& server, const Surroundings& surroundings) {
  const NamedVariable variable = server.tls ? FirstSet(surroundings, "HTTPS_PROXY", "https_proxy")
                                            : FirstSet(surroundings, "HTTP_PROXY", "http_proxy");
  if (variable.value.empty()) return std::optional<Proxy>();
  if (BypassesProxy(server, FirstSet(surroundings, "NO_PROXY", "no_proxy").value)) return std::optional<Proxy>();
  Result<Url> url = ParseUrl(variable.value);
  if (!url || url->scheme.empty() || !url->has_host()) url = ParseUrl("http://" + variable.value);
  if (!url) return std::optional<Proxy>();
  Result<Proxy> proxy = MakeProxy(*std::move(url));
  if (!proxy) {
    return InvalidError(
        fmt::format("environment variable {}: proxy for {} cannot be used: {}, or name the server in NO_PROXY",
                    variable.name, server.Text(), proxy.error().message));
  }
  return std::optional(*std::move(proxy));
}

}  // namespace berth::kube
