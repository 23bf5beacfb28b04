// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/proxy_tunnel.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::net {

// A tunnel through a SOCKS 5 proxy (RFC 1928), with a user name and password if there are any (RFC 1929). The proxy
// resolves the server's name.
class SocksTunnel final : public ProxyTunnel {
 public:
  SocksTunnel(const ProxyServer& proxy, std::string host, uint16_t port);

  std::string Begin() override;
  Result<Step> Take(std::string_view bytes) override;

 private:
  enum class Awaits : uint8_t { Method, Login, Connection };

  // False: the answer is not complete.
  Result<bool> TakeMethod(Step& step);
  Result<bool> TakeLogin(Step& step);
  Result<bool> TakeConnection(Step& step);
  std::string Login() const;
  std::string Connect() const;
  Error Refused(const std::string& why) const;

  const ProxyServer proxy_;
  const std::string host_;
  const uint16_t port_;
  Awaits awaits_ = Awaits::Method;
  std::string answer_;  // not taken yet
};

}  // namespace berth::net
