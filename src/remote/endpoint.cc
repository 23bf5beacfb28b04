// SPDX-License-Identifier: Apache-2.0
#include "remote/endpoint.h"

#include <charconv>
#include <limits>

namespace berth::remote {
namespace {

constexpr std::string_view kForms = "write unix:///path, tcp://host:port or tls://host:port";

Error Unusable(std::string_view why) { return InvalidError(std::string(why) + "; " + std::string(kForms)); }

Result<Endpoint> ParseUnix(std::string_view rest) {
  // What the system calls a path of a socket has room for so many bytes.
  constexpr size_t kLongest = 107;
  if (rest.empty() || rest.front() != '/') return Unusable("the path of a unix socket must be absolute");
  if (rest.size() > kLongest) return InvalidError("the path of a unix socket has at most 107 bytes");
  Endpoint endpoint;
  endpoint.path = rest;
  return endpoint;
}

Result<Endpoint> ParseHostPort(std::string_view rest, Endpoint::Scheme scheme) {
  const size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) return Unusable("the port is missing");
  std::string_view host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return InvalidError("an IPv6 address stands in brackets, as in tcp://[::1]:9000");
  }
  if (host.empty()) return Unusable("the host is missing");
  const std::string_view digits = rest.substr(colon + 1);
  uint32_t port = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (problem != std::errc() || end != digits.data() + digits.size() || port == 0 ||
      port > std::numeric_limits<uint16_t>::max()) {
    return InvalidError("the port must be a number from 1 to 65535");
  }
  Endpoint endpoint;
  endpoint.scheme = scheme;
  endpoint.host = host;
  endpoint.port = static_cast<uint16_t>(port);
  return endpoint;
}

}  // namespace

Result<Endpoint> ParseEndpoint(std::string_view text) {
  const size_t mark = text.find("://");
  if (mark == std::string_view::npos) return Unusable("the scheme is missing");
  const std::string_view scheme = text.substr(0, mark);
  const std::string_view rest = text.substr(mark + 3);
  if (scheme == "unix") return ParseUnix(rest);
  if (scheme == "tcp") return ParseHostPort(rest, Endpoint::Scheme::Tcp);
  if (scheme == "tls") return ParseHostPort(rest, Endpoint::Scheme::Tls);
  return Unusable("unknown scheme \"" + std::string(scheme) + "\"");
}

}  // namespace berth::remote
