// SPDX-License-Identifier: Apache-2.0
#include "kube/access/server_address.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

std::string CleanPrefix(const std::string& path) {
  std::string prefix = std::filesystem::path("/" + path).lexically_normal().string();
  while (prefix.ends_with('/')) prefix.pop_back();
  return prefix;
}

Error AddressError(std::string_view text, std::string_view why) {
  return InvalidError(fmt::format("server \"{}\" cannot be used: {}; give a URL such as https://10.0.0.1:6443",
                                  WithoutPassword(text), why));
}

}  // namespace

Result<ServerAddress> ParseServerAddress(std::string_view text) {
  Result<Url> url = ParseUrl(text);
  if (!url && text.find("://") != std::string_view::npos) return AddressError(text, url.error().message);
  if (!url || url->scheme.empty() || !url->has_host()) {
    url = ParseUrl(fmt::format("http://{}", text));
    if (!url) return AddressError(text, url.error().message);
    if (!url->path.empty() && url->path != "/") return AddressError(text, "host must be a URL or a host:port pair");
  }
  if (url->scheme != "http" && url->scheme != "https") {
    return AddressError(text, fmt::format("unsupported protocol scheme \"{}\"", url->scheme));
  }
  if (url->host.empty()) return AddressError(text, "it names no host");
  ServerAddress address;
  address.tls = url->scheme == "https";
  address.port = url->port.value_or(*DefaultPort(url->scheme));
  address.names_port = url->port.has_value();
  address.host = std::move(url->host);
  address.path_prefix = CleanPrefix(url->path);
  address.user = std::move(url->user);
  return address;
}

std::string ServerAddress::Text() const {
  return fmt::format("{}://{}{}", tls ? "https" : "http", HostPort(host, port), path_prefix);
}

std::string ServerAddress::Authority() const {
  if (names_port) return HostPort(host, port);
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace berth::kube
