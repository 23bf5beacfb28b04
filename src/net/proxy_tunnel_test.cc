// SPDX-License-Identifier: Apache-2.0
#include "net/proxy_tunnel.h"

#include <gtest/gtest.h>

namespace berth::net {
namespace {

TEST(HostAndPort, PutsIpV6AddressesInBrackets) {
  EXPECT_EQ(HostAndPort("kube.example", 6443), "kube.example:6443");
  EXPECT_EQ(HostAndPort("::1", 6443), "[::1]:6443");
}

TEST(HostAndPort, IsSplitAgain) {
  const auto name = SplitHostAndPort("proxy.example:3128");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->host, "proxy.example");
  EXPECT_EQ(name->port, 3128);
  const auto address = SplitHostAndPort("[::1]:3128");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->host, "::1");
}

TEST(HostAndPort, WithoutAPossiblePortIsAnError) {
  for (const char* text : {"", "proxy.example", ":80", "proxy:", "proxy:0", "proxy:65536", "proxy:http", "proxy:80x"}) {
    EXPECT_FALSE(SplitHostAndPort(text)) << text;
  }
}

TEST(ProxyTunnel, AsksForTheServerWithTheAuthorization) {
  EXPECT_EQ(ProxyTunnel("proxy:80", "kube:6443", "Basic abc").request(),
            "CONNECT kube:6443 HTTP/1.1\r\nHost: kube:6443\r\nProxy-Authorization: Basic abc\r\n\r\n");
  EXPECT_EQ(ProxyTunnel("proxy:80", "kube:6443", "").request(),
            "CONNECT kube:6443 HTTP/1.1\r\nHost: kube:6443\r\n\r\n");
}

TEST(ProxyTunnel, TakesAnAnswerInPiecesAndLeavesWhatFollows) {
  const std::string answer = "HTTP/1.1 200 OK\r\nVia: x\r\n\r\nrest";
  for (size_t cut = 0; cut < answer.size() - 4; ++cut) {
    ProxyTunnel tunnel("proxy:80", "kube:6443", "");
    auto first = tunnel.TakeAnswer(answer.substr(0, cut));
    ASSERT_TRUE(first);
    ASSERT_FALSE(first->has_value());
    auto second = tunnel.TakeAnswer(answer.substr(cut));
    ASSERT_TRUE(second);
    EXPECT_EQ(*second, "rest");
  }
}

TEST(ProxyTunnel, ARefusalIsAnErrorWithTheProxysWords) {
  ProxyTunnel tunnel("proxy:80", "kube:6443", "");
  const auto answer = tunnel.TakeAnswer("HTTP/1.0 403 Forbidden\r\n\r\n");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "the proxy proxy:80 refused: HTTP/1.0 403 Forbidden");
}

TEST(ProxyTunnel, AnAnswerWithoutAnEndIsGivenUp) {
  ProxyTunnel tunnel("proxy:80", "kube:6443", "");
  EXPECT_FALSE(tunnel.TakeAnswer(std::string(100'000, 'x')));
}

}  // namespace
}  // namespace berth::net
