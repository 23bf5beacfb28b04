// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::net {

// "host:port", an IPv6 address in brackets.
std::string HostAndPort(const std::string& host, uint16_t port);

// The other way round; a missing or impossible port is an error.
struct HostPort {
  std::string host;
  uint16_t port = 0;
};
Result<HostPort> SplitHostAndPort(const std::string& text);

// Asks an HTTP proxy for a tunnel to a server, without a socket.
class ProxyTunnel {
 public:
  // Both as "host:port"; an empty authorization is left out.
  ProxyTunnel(std::string proxy, const std::string& target, const std::string& authorization);

  const std::string& request() const { return request_; }
  // Takes what the proxy sent. When it has granted the tunnel, returns what it sent after its answer, which is the
  // server's; nullopt: the answer is not complete. The error says why there is no tunnel.
  Result<std::optional<std::string>> TakeAnswer(std::string_view bytes);

 private:
  std::string proxy_;
  std::string request_;
  std::string answer_;
};

}  // namespace berth::net
