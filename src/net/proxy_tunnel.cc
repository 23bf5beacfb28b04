// SPDX-License-Identifier: Apache-2.0
#include "net/proxy_tunnel.h"

#include "net/socks_tunnel.h"

#include <utility>

namespace berth::net {
namespace {

constexpr size_t kLongestAnswer = 64 << 10;

class HttpTunnel final : public ProxyTunnel {
 public:
  HttpTunnel(const ProxyServer& proxy, const std::string& target)
      : proxy_(HostAndPort(proxy.host, proxy.port)),
        request_("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n") {
    if (!proxy.authorization.empty()) request_ += "Proxy-Authorization: " + proxy.authorization + "\r\n";
    request_ += "\r\n";
  }

  std::string Begin() override { return request_; }
  Result<Step> Take(std::string_view bytes) override;

 private:
  const std::string proxy_;
  std::string request_;
  std::string answer_;
};

Result<ProxyTunnel::Step> HttpTunnel::Take(std::string_view bytes) {
  answer_ += bytes;
  const size_t end = answer_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (answer_.size() <= kLongestAnswer) return Step{};
    return Error{ErrorCode::Unavailable, "the answer of the proxy " + proxy_ + " is too long"};
  }
  const std::string line = answer_.substr(0, answer_.find("\r\n"));
  // "HTTP/1.1 200 Connection established"
  const size_t space = line.find(' ');
  const bool granted = line.starts_with("HTTP/1.") && space != std::string::npos && line.substr(space + 1, 1) == "2";
  if (!granted) return Error{ErrorCode::Unavailable, "the proxy " + proxy_ + " refused: " + line};
  return Step{.rest = answer_.substr(end + 4)};
}

}  // namespace

std::string HostAndPort(const std::string& host, uint16_t port) {
  const bool bracketed = host.find(':') != std::string::npos;
  return (bracketed ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::unique_ptr<ProxyTunnel> ProxyTunnel::Make(const ProxyServer& proxy, const std::string& host, uint16_t port) {
  if (proxy.protocol == ProxyServer::Protocol::Socks5) return std::make_unique<SocksTunnel>(proxy, host, port);
  return std::make_unique<HttpTunnel>(proxy, HostAndPort(host, port));
}

}  // namespace berth::net
