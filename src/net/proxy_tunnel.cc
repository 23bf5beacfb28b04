// SPDX-License-Identifier: Apache-2.0
#include "net/proxy_tunnel.h"

#include <charconv>
#include <utility>

namespace berth::net {
namespace {

constexpr size_t kLongestAnswer = 64 << 10;

}  // namespace

std::string HostAndPort(const std::string& host, uint16_t port) {
  const bool bracketed = host.find(':') != std::string::npos;
  return (bracketed ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<HostPort> SplitHostAndPort(const std::string& text) {
  const size_t colon = text.rfind(':');
  HostPort parts;
  if (colon == std::string::npos || colon == 0) return InvalidError("'" + text + "' is not of the form host:port");
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, parts.port);
  if (error != std::errc() || stop != end || parts.port == 0) {
    return InvalidError("'" + text + "' has no port between 1 and 65535");
  }
  parts.host = text.substr(0, colon);
  if (parts.host.starts_with('[') && parts.host.ends_with(']')) parts.host = parts.host.substr(1, colon - 2);
  return parts;
}

ProxyTunnel::ProxyTunnel(std::string proxy, const std::string& target, const std::string& authorization)
    : proxy_(std::move(proxy)) {
  request_ = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n";
  if (!authorization.empty()) request_ += "Proxy-Authorization: " + authorization + "\r\n";
  request_ += "\r\n";
}

Result<std::optional<std::string>> ProxyTunnel::TakeAnswer(std::string_view bytes) {
  answer_ += bytes;
  const size_t end = answer_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (answer_.size() <= kLongestAnswer) return std::optional<std::string>();
    return Error{ErrorCode::Unavailable, "the answer of the proxy " + proxy_ + " is too long"};
  }
  const std::string line = answer_.substr(0, answer_.find("\r\n"));
  // "HTTP/1.1 200 Connection established"
  const size_t space = line.find(' ');
  const bool granted = line.starts_with("HTTP/1.") && space != std::string::npos && line.substr(space + 1, 1) == "2";
  if (!granted) return Error{ErrorCode::Unavailable, "the proxy " + proxy_ + " refused: " + line};
  return std::optional(answer_.substr(end + 4));
}

}  // namespace berth::net
