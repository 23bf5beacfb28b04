// SPDX-License-Identifier: Apache-2.0
#include "net/socks_tunnel.h"

#include <arpa/inet.h>
#include <array>
#include <sys/socket.h>
#include <utility>

namespace berth::net {
namespace {

constexpr char kVersion = 5;
constexpr char kNoLogin = 0;
constexpr char kPassword = 2;
constexpr size_t kLongestText = 255;  // its length is one byte

// Types of an address in a request or an answer.
constexpr char kIpv4 = 1;
constexpr char kName = 3;
constexpr char kIpv6 = 4;

std::string WithLength(const std::string& text) { return static_cast<char>(text.size()) + text; }

// The server's address as type and bytes; a name where it is no address.
std::string AddressOf(const std::string& host) {
  std::array<char, 16> bytes = {};
  if (inet_pton(AF_INET, host.c_str(), bytes.data()) == 1) return kIpv4 + std::string(bytes.data(), 4);
  if (inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) return kIpv6 + std::string(bytes.data(), 16);
  return kName + WithLength(host);
}

std::string ReplyText(char code) {
  constexpr std::array<const char*, 9> kTexts = {"succeeded",
                                                 "general failure",
                                                 "the proxy's rules forbid it",
                                                 "the network is unreachable",
                                                 "host is unreachable",
                                                 "connection refused",
                                                 "time to live expired",
                                                 "command is not supported",
                                                 "address type is not supported"};
  const auto index = static_cast<size_t>(static_cast<unsigned char>(code));
  return index < kTexts.size() ? kTexts[index] : "reply " + std::to_string(index);
}

}  // namespace

SocksTunnel::SocksTunnel(const ProxyServer& proxy, std::string host, uint16_t port)
    : proxy_(proxy), host_(std::move(host)), port_(port) {}

std::string SocksTunnel::Begin() {
  if (proxy_.user.empty()) return {kVersion, 1, kNoLogin};
  return {kVersion, 2, kNoLogin, kPassword};
}

Error SocksTunnel::Refused(const std::string& why) const {
  return {ErrorCode::Unavailable, "the proxy " + HostAndPort(proxy_.host, proxy_.port) + " refused: " + why};
}

std::string SocksTunnel::Login() const { return '\1' + WithLength(proxy_.user) + WithLength(proxy_.password); }

std::string SocksTunnel::Connect() const {
  return std::string{kVersion, 1, 0} + AddressOf(host_) + static_cast<char>(port_ >> 8U) +
         static_cast<char>(port_ & 0xffU);
}

Result<ProxyTunnel::Step> SocksTunnel::Take(std::string_view bytes) {
  answer_ += bytes;
  Step step;
  while (!step.rest) {
    const Result<bool> taken = awaits_ == Awaits::Method  ? TakeMethod(step)
                               : awaits_ == Awaits::Login ? TakeLogin(step)
                                                          : TakeConnection(step);
    if (!taken) return taken.error();
    if (!*taken) break;
  }
  return step;
}

Result<bool> SocksTunnel::TakeMethod(Step& step) {
  if (answer_.size() < 2) return false;
  if (answer_[0] != kVersion) return Refused("it does not speak SOCKS 5");
  const char method = answer_[1];
  answer_.erase(0, 2);
  if (host_.size() > kLongestText) return Refused("the server's name is too long");
  if (method == kNoLogin) {
    awaits_ = Awaits::Connection;
    step.send += Connect();
    return true;
  }
  if (method != kPassword || proxy_.user.empty()) return Refused("it wants another way to log in");
  if (proxy_.user.size() > kLongestText || proxy_.password.size() > kLongestText) {
    return Refused("the user name or password is too long");
  }
  awaits_ = Awaits::Login;
  step.send += Login();
  return true;
}

Result<bool> SocksTunnel::TakeLogin(Step& step) {
  if (answer_.size() < 2) return false;
  if (answer_[1] != 0) return Refused("user name or password is wrong");
  answer_.erase(0, 2);
  awaits_ = Awaits::Connection;
  step.send += Connect();
  return true;
}

// Version, reply, a byte that is 0, the type of an address, the address, and a port.
Result<bool> SocksTunnel::TakeConnection(Step& step) {
  if (answer_.size() < 2) return false;
  if (answer_[1] != 0) return Refused(ReplyText(answer_[1]));
  if (answer_.size() < 5) return false;
  constexpr size_t kBefore = 4;
  constexpr size_t kPort = 2;
  size_t address = 0;
  switch (answer_[3]) {
    case kIpv4: address = 4; break;
    case kIpv6: address = 16; break;
    case kName: address = 1 + static_cast<unsigned char>(answer_[4]); break;
    default: return Refused("its answer has an unknown address type");
  }
  const size_t whole = kBefore + address + kPort;
  if (answer_.size() < whole) return false;
  step.rest = answer_.substr(whole);
  return true;
}

}  // namespace berth::net
