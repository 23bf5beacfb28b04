// SPDX-License-Identifier: Apache-2.0
// Whom the client trusts, how it shows who it is, and how it goes through a proxy.
#include "net/http_client.h"
#include "net/test_bed.h"
#include "net/test_proxy.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

void SayWho(const std::shared_ptr<ServerStream>& stream) { stream->Respond(200, "hello " + stream->client_name); }

// The error of a connection that must not come about.
std::string RefusalOf(const ClientBedOptions& options) {
  ClientBed bed(options, SayWho);
  const auto response = bed.Get("/");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::NotSent);
  const std::string prefix = "connect to " + options.host + ":" + std::to_string(bed.server().port()) + ": ";
  EXPECT_TRUE(response->error().starts_with(prefix)) << response->error();
  return response->error().substr(std::min(prefix.size(), response->error().size()));
}

std::string AnswerTo(const ClientBedOptions& options) {
  ClientBed bed(options, SayWho);
  const auto response = bed.Get("/");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete) << response->error();
  return response->body();
}

TEST(Trust, AServerOfAnotherAuthorityIsRefused) {
  const TestAuthority other("another authority");
  const std::string why = RefusalOf({.trust = {.ca = other.certificate()}});
  EXPECT_EQ(why, "TLS: the server's certificate is not trusted: unable to get local issuer certificate");
}

TEST(Trust, AServerWithAnotherNameIsRefused) {
  EXPECT_EQ(RefusalOf({.names = "IP:127.0.0.2,DNS:kube.example"}),
            "TLS: the server's certificate is for 127.0.0.2, the name kube.example, not for 127.0.0.1");
  EXPECT_EQ(RefusalOf({.host = "localhost", .names = "IP:127.0.0.1,DNS:kube.example"}),
            "TLS: the server's certificate is for 127.0.0.1, the name kube.example, not for localhost");
}

TEST(Trust, AnAddressIsNoName) {
  EXPECT_EQ(RefusalOf({.names = "DNS:127.0.0.1"}),
            "TLS: the server's certificate is for the name 127.0.0.1, not for 127.0.0.1");
}

TEST(Trust, TheCommonNameDoesNotCount) {
  EXPECT_EQ(RefusalOf({.names = "", .trust = {.server_name = "test server"}}),
            "TLS: the server's certificate is for no name, not for test server");
}

TEST(Trust, AnExpiredCertificateIsRefused) {
  EXPECT_EQ(RefusalOf({.expired = true}), "TLS: the server's certificate is not trusted: certificate has expired");
}

TEST(Trust, ANameIsAcceptedAndMayBeGiven) {
  EXPECT_EQ(AnswerTo({.host = "localhost", .names = "DNS:localhost"}), "hello ");
  EXPECT_EQ(AnswerTo({.names = "DNS:kube.example", .trust = {.server_name = "kube.example"}}), "hello ");
  EXPECT_EQ(AnswerTo({.names = "DNS:*.kube.example", .trust = {.server_name = "api.kube.example"}}), "hello ");
}

TEST(Trust, VerificationMayBeSkipped) {
  EXPECT_EQ(AnswerTo({.names = "DNS:kube.example", .expired = true, .trust = {.skip_verification = true}}), "hello ");
}

TEST(Trust, AServerInClearTextIsNoTlsServer) {
  const std::string why = RefusalOf({.tls = true, .clear_text_server = true});
  EXPECT_TRUE(why.find("TLS: the handshake failed: ") != std::string::npos ||
              why.find("closed the connection") != std::string::npos)
      << why;
}

TEST(ClientCertificate, ReachesTheServer) {
  EXPECT_EQ(AnswerTo({.client_name = "system:kube-scheduler"}), "hello system:kube-scheduler");
}

TEST(ClientCertificate, AServerThatMissesItSaysSo) {
  const std::string why = RefusalOf({.requires_client_certificate = true});
  EXPECT_NE(why.find("certificate required"), std::string::npos) << why;
}

TEST(Proxy, IsAskedForATunnelWithItsAuthorization) {
  auto bed = std::make_unique<ClientBed>(ClientBedOptions{}, SayWho);
  TestProxy proxy(bed->server().port(), {.authorization = "Basic c2VjcmV0"});
  bed->MakeClient(ProxyServer{.host = "127.0.0.1", .port = proxy.port(), .authorization = "Basic c2VjcmV0"});
  const std::string target = "127.0.0.1:" + std::to_string(bed->server().port());
  const auto response = bed->Get("/");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete) << response->error();
  bed.reset();
  EXPECT_EQ(proxy.WaitForRequest(),
            "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\nProxy-Authorization: Basic c2VjcmV0\r\n\r\n");
}

TEST(Proxy, ThatRefusesIsQuoted) {
  ClientBed bed({}, SayWho);
  TestProxy proxy(bed.server().port(), {.authorization = "Basic c2VjcmV0"});
  const std::string address = "127.0.0.1:" + std::to_string(proxy.port());
  bed.MakeClient(ProxyServer{.host = "127.0.0.1", .port = proxy.port(), .authorization = "Basic wrong"});
  const auto response = bed.Get("/");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_NE(response->error().find("the proxy " + address + " refused: HTTP/1.1 407 Proxy Authentication Required"),
            std::string::npos)
      << response->error();
}

TEST(Proxy, ThatSpeaksSocksLeadsToTheServer) {
  auto bed = std::make_unique<ClientBed>(ClientBedOptions{}, SayWho);
  TestProxy proxy(bed->server().port(), {.speaks_socks = true});
  bed->MakeClient(ProxyServer{.protocol = ProxyServer::Protocol::Socks5, .host = "127.0.0.1", .port = proxy.port()});
  const auto response = bed->Get("/");
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete) << response->error();
  bed.reset();
}

TEST(Proxy, ThatIsNotThereIsAnError) {
  ClientBed bed({}, SayWho);
  const uint16_t port = bed.server().port();
  const std::string address = "127.0.0.1:" + std::to_string(port);
  bed.StopServer();
  bed.MakeClient(ProxyServer{.host = "127.0.0.1", .port = port});
  const auto refused = bed.Get("/");
  EXPECT_EQ(refused->WaitForEnd(), ExchangeEnd::NotSent);
  EXPECT_NE(refused->error().find("the proxy " + address + ": cannot connect: Connection refused"), std::string::npos)
      << refused->error();
}

}  // namespace
}  // namespace berth::net
