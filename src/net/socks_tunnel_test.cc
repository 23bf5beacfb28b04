// SPDX-License-Identifier: Apache-2.0
#include "net/socks_tunnel.h"

#include <cstddef>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  return text;
}

const std::string kPort = Bytes({0x19, 0x2b});  // 6443
const std::string kNoLogin = Bytes({5, 0});
const std::string kGranted = Bytes({5, 0, 0, 1, 127, 0, 0, 1, 4, 0});

SocksTunnel To(const std::string& host, const std::string& user = {}, const std::string& password = {}) {
  return {
      {.protocol = ProxyServer::Protocol::Socks5, .host = "proxy", .port = 1080, .user = user, .password = password},
      host,
      6443};
}

// All that is sent to a proxy that answers with these, byte by byte or not; "!" and the error if there is one. What
// follows the grant comes behind "|".
std::string Talk(SocksTunnel tunnel, const std::string& answers, size_t piece = 1) {
  std::string sent = tunnel.Begin();
  for (size_t at = 0; at < answers.size(); at += piece) {
    const auto step = tunnel.Take(answers.substr(at, piece));
    if (!step) return "!" + step.error().message;
    sent += step->send;
    if (step->rest) return sent + "|" + *step->rest;
  }
  return sent;
}

TEST(SocksTunnel, NamesTheServerInEveryForm) {
  const struct {
    std::string host;
    std::string address;
  } cases[] = {
      {"kube.example", Bytes({3, 12}) + "kube.example"},
      {"10.0.0.7", Bytes({1, 10, 0, 0, 7})},
      {"::1", Bytes({4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(Talk(To(test.host), kNoLogin + kGranted),
              Bytes({5, 1, 0}) + Bytes({5, 1, 0}) + test.address + kPort + "|");
  }
}

TEST(SocksTunnel, LogsInWhenItIsAsked) {
  const std::string connect = Bytes({5, 1, 0, 3, 4}) + "kube" + kPort;
  const std::string hello = Bytes({5, 2, 0, 2});
  EXPECT_EQ(Talk(To("kube", "joe", "pw"), Bytes({5, 2}) + Bytes({1, 0}) + kGranted),
            hello + Bytes({1, 3}) + "joe" + Bytes({2}) + "pw" + connect + "|");
  EXPECT_EQ(Talk(To("kube", "joe", "pw"), kNoLogin + kGranted), hello + connect + "|") << "it did not ask";
}

TEST(SocksTunnel, TakesAnswersInPiecesAndLeavesWhatFollows) {
  for (const std::string& granted : {kGranted, Bytes({5, 0, 0, 3, 2}) + "ab" + Bytes({0, 1}),
                                     Bytes({5, 0, 0, 4}) + std::string(16, 'x') + Bytes({0, 1})}) {
    const std::string answers = kNoLogin + granted + "TLS";
    const std::string whole = Talk(To("kube"), answers, answers.size());
    EXPECT_TRUE(whole.ends_with("|TLS")) << whole;
    EXPECT_EQ(Talk(To("kube"), answers) + "TLS", whole);
  }
}

TEST(SocksTunnel, ARefusalSaysWhy) {
  const std::string refused = "!the proxy proxy:1080 refused: ";
  EXPECT_EQ(Talk(To("kube"), "HTTP/1.1 400 Bad Request"), refused + "it does not speak SOCKS 5");
  EXPECT_EQ(Talk(To("kube"), Bytes({5, 0xff})), refused + "it wants another way to log in");
  EXPECT_EQ(Talk(To("kube"), Bytes({5, 2})), refused + "it wants another way to log in");
  EXPECT_EQ(Talk(To("kube", "joe", "pw"), Bytes({5, 2, 1, 1})), refused + "user name or password is wrong");
  EXPECT_EQ(Talk(To("kube"), kNoLogin + Bytes({5, 5, 0, 1})), refused + "connection refused");
  EXPECT_EQ(Talk(To("kube"), kNoLogin + Bytes({5, 77, 0, 1})), refused + "reply 77");
  EXPECT_EQ(Talk(To("kube"), kNoLogin + Bytes({5, 0, 0, 9, 9})), refused + "its answer has an unknown address type");
  EXPECT_EQ(Talk(To(std::string(256, 'k')), kNoLogin), refused + "the server's name is too long");
  EXPECT_EQ(Talk(To("kube", std::string(256, 'u')), Bytes({5, 2})), refused + "the user name or password is too long");
}

}  // namespace
}  // namespace berth::net
