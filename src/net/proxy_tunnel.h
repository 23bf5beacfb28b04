// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace berth::net {

// "host:port", an IPv6 address in brackets.
std::string HostAndPort(const std::string& host, uint16_t port);

// A proxy on the way to a server.
struct ProxyServer {
  enum class Protocol : uint8_t { Http, Socks5 };  // Http: it is asked to CONNECT
  Protocol protocol = Protocol::Http;
  std::string host = {};  // without brackets
  uint16_t port = 0;
  std::string authorization = {};  // Http: value of the Proxy-Authorization header; empty: none
  std::string user = {};           // Socks5: who we are; empty: nobody in particular
  std::string password = {};
};

// Asks a proxy for a tunnel to a server, without a socket.
class ProxyTunnel {
 public:
  struct Step {
    std::string send = {};  // to the proxy
    std::optional<std::string> rest =
        {};  // the tunnel is granted: what the proxy sent behind its answer is the server's
  };

  static std::unique_ptr<ProxyTunnel> Make(const ProxyServer& proxy, const std::string& host, uint16_t port);
  virtual ~ProxyTunnel() = default;

  // What to send first.
  virtual std::string Begin() = 0;
  // Takes what the proxy sent. The error says why there is no tunnel.
  virtual Result<Step> Take(std::string_view bytes) = 0;
};

}  // namespace berth::net
