// SPDX-License-Identifier: Apache-2.0
#include "net/http_server.h"

#include "net/http_client.h"
#include "net/self_signed.h"
#include "net/test_http_server.h"
#include "net/test_tls_client.h"

#include <future>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <openssl/ssl.h>

namespace berth::net {
namespace {

class HttpServerTest : public testing::Test, protected HttpServerBed {};

TEST_F(HttpServerTest, AnswersRequestsOnOneConnection) {
  Serve(EchoRequest);
  TestTlsClient client(Client());
  ASSERT_TRUE(client.connected());
  EXPECT_EQ(client.protocol(), "http/1.1");
  EXPECT_TRUE(client.Get("/one?x").ends_with("\r\n\r\nGET /one"));
  EXPECT_TRUE(client.Get("/two").ends_with("\r\n\r\nGET /two"));
  client.Send("POST /three HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody");
  EXPECT_TRUE(client.ReadToEnd().ends_with("\r\n\r\nPOST /threebody"));
  WaitForConnections(0);
}

TEST_F(HttpServerTest, AnswersMayComeLaterFromAnyThread) {
  std::promise<Responder> asked;
  Serve([&](const ServerRequest&, Responder respond) { asked.set_value(std::move(respond)); });
  TestTlsClient client(Client());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  std::thread([respond = asked.get_future().get()] { respond({.body = "later"}); }).join();
  EXPECT_TRUE(client.ReadResponse().ends_with("later"));
}

TEST_F(HttpServerTest, ARequestThatNobodyAnswersFails) {
  Serve([](const ServerRequest&, const Responder&) {});
  TestTlsClient client(Client());
  EXPECT_TRUE(client.Get("/").starts_with("HTTP/1.1 500 Internal Server Error\r\n"));
}

TEST_F(HttpServerTest, NobodyWantsAnAnswerOnAConnectionThatHasGone) {
  std::promise<Responder> asked;
  Serve([&](const ServerRequest&, Responder respond) { asked.set_value(std::move(respond)); });
  std::optional<TestTlsClient> client(std::in_place, Client());
  client->Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const Responder respond = asked.get_future().get();
  EXPECT_TRUE(respond.wanted());
  client.reset();
  WaitForConnections(0);
  EXPECT_FALSE(respond.wanted());
}

TEST_F(HttpServerTest, AnAnswerAfterTheServersEndIsIgnored) {
  std::promise<Responder> asked;
  Serve([&](const ServerRequest&, Responder respond) { asked.set_value(std::move(respond)); });
  TestTlsClient client(Client());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const Responder respond = asked.get_future().get();
  thread_.Do([&] { server_.reset(); });
  respond({});
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST_F(HttpServerTest, LargeResponsesArriveWhole) {
  const std::string large(5'000'000, 'x');
  Serve([&](const ServerRequest&, const Responder& respond) { respond({.body = large}); });
  TestTlsClient client(Client());
  EXPECT_TRUE(client.Get("/").ends_with("\r\n\r\n" + large));
  EXPECT_TRUE(client.Get("/").ends_with("\r\n\r\n" + large));
}

TEST_F(HttpServerTest, ClientsMayShowACertificate) {
  std::shared_ptr<const PeerCertificates> shown;
  Serve(
      [&](const ServerRequest& request, const Responder& respond) {
        shown = request.shown;
        respond({});
      },
      {.asks_for_certificate = true, .client_ca = authority_.certificate()});
  const auto pool = CertificatePool::Make(authority_.certificate(), "client-ca-file");
  ASSERT_TRUE(pool.has_value());

  TestTlsClient without(Client());
  without.Get("/");
  EXPECT_EQ(shown, nullptr);

  TestTlsClientOptions options = Client();
  options.certificate = authority_.IssueClient("me", {"us", "them"});
  TestTlsClient with(options);
  with.Get("/");
  EXPECT_EQ(with.told_authorities(), std::vector<std::string>{"test authority"});
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(shown->common_name(), "me");
  EXPECT_EQ(shown->organizations(), (std::vector<std::string>{"us", "them"}));
  EXPECT_EQ(shown->fingerprint().size(), 64u);
  EXPECT_TRUE((*pool)->Verify(*shown).has_value());

  // Also one that nobody believes gets as far as the handler.
  const TestAuthority stranger("stranger");
  options.certificate = stranger.IssueClient("me");
  TestTlsClient unknown(options);
  unknown.Get("/");
  EXPECT_FALSE((*pool)->Verify(*shown).has_value());
  options.certificate = authority_.IssueServer("DNS:a.test");
  TestTlsClient not_a_client(options);
  not_a_client.Get("/");
  EXPECT_TRUE((*pool)->Verify(*shown).error().message.ends_with("certificate purpose"));
}

TEST_F(HttpServerTest, CertificatesMayBeOdd) {
  std::shared_ptr<const PeerCertificates> shown;
  Serve(
      [&](const ServerRequest& request, const Responder& respond) {
        shown = request.shown;
        respond({});
      },
      {.asks_for_certificate = true});
  const auto pool = CertificatePool::Make(authority_.certificate(), "client-ca-file");
  ASSERT_TRUE(pool.has_value());
  const auto show = [&](const OddCertificate& odd) {
    TestTlsClientOptions options = Client();
    options.certificate = authority_.IssueClient("me", {}, odd);
    TestTlsClient(options).Get("/");
  };
  show({.serial_bytes = 20});
  ASSERT_NE(shown, nullptr);
  EXPECT_GT(shown->Serial().size(), 40u);
  EXPECT_TRUE((*pool)->Verify(*shown).has_value());
  // To write this one down would take long: anyone may show it.
  show({.serial_bytes = 4'000});
  EXPECT_EQ(shown->Serial(), "(4000 bytes)");
  // Anyone may make a signature that fits this one.
  show({.signed_by_sha1 = true});
  const Result<void> verified = (*pool)->Verify(*shown);
  ASSERT_FALSE(verified.has_value());
  EXPECT_EQ(verified.error().message, "CA signature digest algorithm too weak");
}

TEST_F(HttpServerTest, ShowsTheCertificateThatTheClientAsksFor) {
  TlsServerOptions tls;
  tls.others = {PairFor("DNS:b.test,DNS:*.c.test"), PairFor("DNS:b.test,DNS:d.test"), PairFor("DNS:e.test")};
  tls.others.back().names = {"d.test", "F.test"};
  Serve(EchoRequest, tls);
  const std::vector<std::pair<std::string, std::string>> cases = {{"", "DNS:a.test, IP Address:127.0.0.1"},
                                                                  {"x.test", "DNS:a.test, IP Address:127.0.0.1"},
                                                                  {"b.test", "DNS:b.test, DNS:*.c.test"},
                                                                  {"y.C.test", "DNS:b.test, DNS:*.c.test"},
                                                                  {"d.test", "DNS:e.test"},
                                                                  {"f.test", "DNS:e.test"},
                                                                  {"e.test", "DNS:a.test, IP Address:127.0.0.1"}};
  for (const auto& [name, shown] : cases) {
    TestTlsClientOptions options = Client();
    options.server_name = name;
    EXPECT_EQ(TestTlsClient(options).server_names(), shown) << name;
  }
}

TEST_F(HttpServerTest, ShowsTheCertificateOfTheAddressConnectedTo) {
  TlsServerOptions tls;
  tls.others = {PairFor("DNS:by.address")};
  tls.others.back().names = {"127.0.0.1"};
  Serve(EchoRequest, tls);
  EXPECT_EQ(TestTlsClient(Client()).server_names(), "DNS:by.address");
  TestTlsClientOptions named = Client();
  named.server_name = "a.test";
  EXPECT_EQ(TestTlsClient(named).server_names(), "DNS:a.test, IP Address:127.0.0.1");
}

TEST_F(HttpServerTest, NewConnectionsSeeANewCertificate) {
  Serve(EchoRequest);
  TestTlsClient old(Client());
  EXPECT_NE(old.Get("/"), "");
  const auto renewed = TlsServerContext::Make({.identity = PairFor("DNS:renewed.test")});
  ASSERT_TRUE(renewed.has_value());
  thread_.Do([&] { server_->SetTls(*renewed); });
  EXPECT_EQ(TestTlsClient(Client()).server_names(), "DNS:renewed.test");
  EXPECT_NE(old.Get("/"), "");
}

TEST_F(HttpServerTest, VersionsAndCiphersAreLimited) {
  Serve(EchoRequest, {.min_version = "VersionTLS13"});
  TestTlsClientOptions options = Client();
  EXPECT_EQ(TestTlsClient(options).version(), "TLSv1.3");
  options.max_version = TLS1_2_VERSION;
  EXPECT_FALSE(TestTlsClient(options).connected());
}

TEST_F(HttpServerTest, CipherSuitesAreThoseNamed) {
  Serve(EchoRequest, {.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"}});
  TestTlsClientOptions options = Client();
  options.max_version = TLS1_2_VERSION;
  options.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256";
  EXPECT_FALSE(TestTlsClient(options).connected());
  options.ciphers = "ECDHE-ECDSA-AES256-GCM-SHA384";
  EXPECT_TRUE(TestTlsClient(options).connected());
}

TEST_F(HttpServerTest, ClientsThatSpeakSomethingElseAreToldSo) {
  Serve(EchoRequest, {.offers_http2 = false});
  TestTlsClientOptions options = Client();
  options.protocols = {"h2"};
  EXPECT_FALSE(TestTlsClient(options).connected());
  options.protocols = {};
  EXPECT_TRUE(TestTlsClient(options).Get("/x").ends_with("GET /x"));
  EXPECT_EQ(AnswerToClearText(server_->port(), "GET / HTTP/1.1\r\n\r\n"),
            "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
}

TEST_F(HttpServerTest, ConnectionsThatDoNothingAreClosed) {
  Serve(EchoRequest, {}, {.read_timeout = std::chrono::milliseconds(50)});
  EXPECT_EQ(AnswerToClearText(server_->port(), "\x16"), "");  // a handshake that does not go on
  TestTlsClient silent(Client());
  EXPECT_EQ(silent.ReadToEnd(), "");
  TestTlsClient slow(Client());
  slow.Send("GET / HT");
  EXPECT_EQ(slow.ReadToEnd(), "");
}

TEST_F(HttpServerTest, IdleConnectionsAreClosed) {
  Serve(EchoRequest, {}, {.read_timeout = std::chrono::seconds(10), .idle_timeout = std::chrono::milliseconds(50)});
  TestTlsClient idle(Client());
  EXPECT_NE(idle.Get("/"), "");
  EXPECT_EQ(idle.ReadToEnd(), "");
}

TEST_F(HttpServerTest, AClientThatTakesNothingIsGivenUp) {
  const std::string large(20'000'000, 'x');
  Serve([&](const ServerRequest&, const Responder& respond) { respond({.body = large}); }, {},
        {.write_timeout = std::chrono::milliseconds(100)});
  TestTlsClient client(Client());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  WaitForConnections(1);
  WaitForConnections(0);
}

TEST_F(HttpServerTest, IdleConnectionsMakeRoomForOthers) {
  std::vector<Responder> waiting;
  Serve(
      [&](const ServerRequest& request, const Responder& respond) {
        if (request.path == "/wait") return waiting.push_back(respond);
        respond({});
      },
      {}, {.max_connections = 2});
  TestTlsClient idle(Client());
  EXPECT_NE(idle.Get("/"), "");
  TestTlsClient second(Client());
  EXPECT_NE(second.Get("/"), "");
  TestTlsClient third(Client());
  EXPECT_NE(third.Get("/"), "");
  EXPECT_EQ(idle.ReadToEnd(), "");
  // None is idle: the next one is refused.
  second.Send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
  third.Send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
  for (size_t count = 0; count < 2;) thread_.Do([&] { count = waiting.size(); });
  EXPECT_FALSE(TestTlsClient(Client()).connected());
  thread_.Do([&] { waiting.clear(); });
  EXPECT_NE(third.ReadResponse(), "");
}

// Whoever opens connections and says nothing keeps nobody out.
TEST_F(HttpServerTest, SilentConnectionsMakeRoomForOthers) {
  Serve(EchoRequest, {}, {.max_connections = 3});
  TestTlsClient half(Client());
  half.Send("GET / HTTP/1.1\r\n");
  std::vector<int> silent;
  for (int i = 0; i < 10; ++i) {
    silent.push_back(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(silent.back(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  EXPECT_NE(TestTlsClient(Client()).Get("/"), "");
  for (const int descriptor : silent) close(descriptor);
}

TEST_F(HttpServerTest, StoppingAnswersWhatWasAsked) {
  std::promise<Responder> asked;
  Serve([&](const ServerRequest& request, const Responder& respond) {
    if (request.path == "/wait") return asked.set_value(respond);
    respond({});
  });
  TestTlsClient idle(Client());
  EXPECT_NE(idle.Get("/"), "");
  TestTlsClient busy(Client());
  busy.Send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
  const Responder respond = asked.get_future().get();
  std::promise<void> stopped;
  thread_.Do([&] { server_->Stop(std::chrono::minutes(1), [&] { stopped.set_value(); }); });
  EXPECT_EQ(idle.ReadToEnd(), "");
  respond({.body = "still"});
  const std::string last = busy.ReadToEnd();
  EXPECT_TRUE(last.ends_with("still"));
  EXPECT_NE(last.find("Connection: close\r\n"), std::string::npos);
  stopped.get_future().wait();
  WaitForConnections(0);
}

TEST_F(HttpServerTest, StoppingEndsWhenItsTimeIsOver) {
  std::promise<Responder> asked;
  Serve([&](const ServerRequest&, const Responder& respond) { asked.set_value(respond); });
  TestTlsClient busy(Client());
  busy.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const Responder respond = asked.get_future().get();
  std::promise<void> stopped;
  thread_.Do([&] { server_->Stop(std::chrono::milliseconds(10), [&] { stopped.set_value(); }); });
  stopped.get_future().wait();
  EXPECT_EQ(busy.ReadToEnd(), "");
}

TEST_F(HttpServerTest, APortThatIsTakenIsAnError) {
  Serve(EchoRequest);
  HttpServer second(thread_.loop(), {}, EchoRequest);
  const auto listening = second.Listen({.address = "127.0.0.1", .port = server_->port()});
  ASSERT_FALSE(listening.has_value());
  EXPECT_EQ(listening.error().message,
            "failed to listen on 127.0.0.1:" + std::to_string(server_->port()) + ": Address already in use");
  EXPECT_FALSE(second.Listen({.address = "nowhere"}).has_value());
}

TEST_F(HttpServerTest, APortMayBeShared) {
  HttpServer first(thread_.loop(), {}, EchoRequest);
  ASSERT_TRUE(first.Listen({.share_port = true}).has_value());
  HttpServer second(thread_.loop(), {}, EchoRequest);
  EXPECT_TRUE(second.Listen({.port = first.port(), .share_port = true}).has_value());
}

TEST_F(HttpServerTest, ASelfSignedCertificateServes) {
  const auto pair = MakeSelfSigned("localhost", {"other.test"}, {"127.0.0.1", "::1"}, SystemClock().Now());
  ASSERT_TRUE(pair.has_value());
  Serve(EchoRequest, {.identity = {pair->certificate, pair->key}});
  TestTlsClient client(Client());
  EXPECT_EQ(client.server_names(), "DNS:localhost, DNS:other.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1");
  // Whoever has the file knows the server by it.
  Endpoint endpoint = {.host = "127.0.0.1", .port = server_->port()};
  endpoint.tls = TlsClientContext::Make({.ca = pair->certificate}).value();
  auto response = std::make_shared<CollectedResponse>();
  std::unique_ptr<HttpClient> trusting;
  thread_.Do([&] {
    trusting = std::make_unique<HttpClient>(thread_.loop(), endpoint);
    trusting->Send({.path = "/x"}, response);
  });
  EXPECT_EQ(response->WaitForEnd(), ExchangeEnd::Complete) << response->error();
  thread_.Do([&] { trusting.reset(); });
}

TEST(TlsServerContext, AnErrorNamesWhatCannotBeUsed) {
  const TestAuthority authority;
  const CertifiedKey pair = authority.IssueServer("DNS:a");
  const auto problem = [&](TlsServerOptions options) {
    if (options.identity.certificate.empty()) options.identity = {pair.certificate, pair.key};
    const auto context = TlsServerContext::Make(options);
    return context ? "" : context.error().message;
  };
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem({.identity = {"x", "y"}}), "TLS: certificate: no certificate in PEM found");
  EXPECT_TRUE(problem({.identity = {pair.certificate, "y"}}).starts_with("TLS: key: "));
  EXPECT_EQ(problem({.asks_for_certificate = true, .client_ca = "x"}), "TLS: client ca: no certificate in PEM found");
  EXPECT_EQ(problem({.min_version = "x"}), "unknown tls version \"x\"");
  EXPECT_EQ(problem({.cipher_suites = {"x"}}), "Cipher suite x not supported or doesn't exist");
  EXPECT_EQ(problem({.curves = {1}}), "curve preference 1 is not supported");
  EXPECT_EQ(CertificatePool::Make("x", "client-ca-file").error().message,
            "TLS: client-ca-file: no certificate in PEM found");
}

}  // namespace
}  // namespace berth::net
