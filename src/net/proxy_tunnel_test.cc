// SPDX-License-Identifier: Apache-2.0
#include "net/proxy_tunnel.h"

#include <gtest/gtest.h>

namespace berth::net {
namespace {

TEST(HostAndPort, PutsIpV6AddressesInBrackets) {
  EXPECT_EQ(HostAndPort("kube.example", 6443), "kube.example:6443");
  EXPECT_EQ(HostAndPort("::1", 6443), "[::1]:6443");
}

std::unique_ptr<ProxyTunnel> Tunnel(const std::string& authorization = {}) {
  return ProxyTunnel::Make({.host = "proxy", .port = 80, .authorization = authorization}, "kube", 6443);
}

TEST(HttpTunnel, AsksForTheServerWithTheAuthorization) {
  EXPECT_EQ(Tunnel("Basic abc")->Begin(),
            "CONNECT kube:6443 HTTP/1.1\r\nHost: kube:6443\r\nProxy-Authorization: Basic abc\r\n\r\n");
  EXPECT_EQ(Tunnel()->Begin(), "CONNECT kube:6443 HTTP/1.1\r\nHost: kube:6443\r\n\r\n");
}

TEST(HttpTunnel, TakesAnAnswerInPiecesAndLeavesWhatFollows) {
  const std::string answer = "HTTP/1.1 200 OK\r\nVia: x\r\n\r\nrest";
  for (size_t cut = 0; cut < answer.size() - 4; ++cut) {
    const auto tunnel = Tunnel();
    const auto first = tunnel->Take(answer.substr(0, cut));
    ASSERT_TRUE(first);
    ASSERT_FALSE(first->rest);
    const auto second = tunnel->Take(answer.substr(cut));
    ASSERT_TRUE(second);
    EXPECT_EQ(second->rest, "rest");
    EXPECT_EQ(second->send, "");
  }
}

TEST(HttpTunnel, ARefusalIsAnErrorWithTheProxysWords) {
  const auto answer = Tunnel()->Take("HTTP/1.0 403 Forbidden\r\n\r\n");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "the proxy proxy:80 refused: HTTP/1.0 403 Forbidden");
}

TEST(HttpTunnel, AnAnswerWithoutAnEndIsGivenUp) { EXPECT_FALSE(Tunnel()->Take(std::string(100'000, 'x'))); }

}  // namespace
}  // namespace berth::net
