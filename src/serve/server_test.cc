// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include "api/document.h"
#include "log/output.h"
#include "net/http_client.h"
#include "net/test_certificates.h"
#include "net/test_loop_thread.h"
#include "net/test_tls_client.h"
#include "serve/test_stub_api.h"

#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace berth::serve {
namespace {

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    options_.serving.listen = {.address = "127.0.0.1"};
    options_.pages.metrics = [](std::string& out) { out += "some 1\n"; };
    folder_ = std::filesystem::temp_directory_path() / ("berth-serve-" + std::to_string(getpid()) + "-" +
                                                        testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ServerTest() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  void UseCluster() {
    options_.authentication.cluster = api_.access();
    options_.authorization.cluster = api_.access();
  }
  std::string Start() {
    server_ = std::make_unique<Server>(options_, clock_, log::Logger(output_, "serve"));
    for (Route& route : routes_) server_->Handle(std::move(route));
    const Result<void> started = server_->Start();
    return started ? "" : started.error().message;
  }
  net::TestTlsClientOptions Client() const { return {.port = server_->port()}; }
  // The status and the body.
  std::pair<int, std::string> Get(const std::string& path, const std::string& headers = "",
                                  std::optional<net::CertifiedKey> certificate = {}) const {
    net::TestTlsClientOptions options = Client();
    options.certificate = std::move(certificate);
    net::TestTlsClient client(options);
    client.Send("GET " + path + " HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n");
    const std::string response = client.ReadResponse();
    const size_t body = response.find("\r\n\r\n");
    if (body == std::string::npos) return {0, response};
    return {std::stoi(response.substr(9, 3)), response.substr(body + 4)};
  }
  int StatusOf(const std::string& path, const std::string& headers = "",
               std::optional<net::CertifiedKey> certificate = {}) const {
    return Get(path, headers, std::move(certificate)).first;
  }
  std::string WriteFile(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
    return folder_ / name;
  }
  // A path that tells who asks.
  void HandleWho() {
    routes_.push_back({.path = "/who", .handler = [](const Call& call, const Reply& reply) {
                         std::string text = call.user.name + "|" + call.user.uid;
                         for (const std::string& group : call.user.groups) text += "|" + group;
                         for (const auto& [key, values] : call.user.extra) {
                           if (key.starts_with("authentication.")) continue;
                           for (const std::string& value : values) text += "|" + key + "=" + value;
                         }
                         reply({.body = text});
                       }});
    options_.authorization.rules.always_allow_paths.emplace_back("/who");
  }

  StubApi api_;
  SystemClock clock_;
  std::ostringstream lines_;
  log::Output output_{lines_, clock_, {}};
  ServerOptions options_;
  std::vector<Route> routes_;
  std::filesystem::path folder_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, WithoutAClusterEveryoneMayAskWhetherItIsWell) {
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(Get("/healthz"), (std::pair<int, std::string>(200, "ok")));
  EXPECT_EQ(StatusOf("/livez"), 200);
  EXPECT_EQ(StatusOf("/readyz"), 200);
  EXPECT_EQ(StatusOf("/readyz/ping"), 403);
  EXPECT_EQ(StatusOf("/metrics"), 403);
  EXPECT_EQ(StatusOf("/metrics", "Authorization: Bearer x\r\n"), 403);
  EXPECT_EQ(StatusOf("/nowhere"), 403);
}

TEST_F(ServerTest, TokensOpenWhatTheirOwnersMayRead) {
  UseCluster();
  api_.SetToken("reader", "ann");
  api_.SetToken("admin", "root", {"system:masters"});
  api_.SetToken("other", "bob");
  api_.Allow("ann", "/metrics");
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(StatusOf("/healthz"), 200);
  EXPECT_EQ(StatusOf("/metrics"), 403);
  EXPECT_EQ(Get("/metrics", "Authorization: Bearer reader\r\n"), (std::pair<int, std::string>(200, "some 1\n")));
  EXPECT_EQ(StatusOf("/metrics", "Authorization: Bearer admin\r\n"), 200);
  EXPECT_EQ(StatusOf("/nowhere", "Authorization: Bearer admin\r\n"), 404);
  EXPECT_EQ(StatusOf("/metrics", "Authorization: Bearer other\r\n"), 403);
  EXPECT_EQ(StatusOf("/metrics", "Authorization: Bearer wrong\r\n"), 401);
  EXPECT_EQ(StatusOf("/healthz", "Authorization: Bearer wrong\r\n"), 401);
}

TEST_F(ServerTest, AClusterThatCannotJudgeIsOurFault) {
  UseCluster();
  ASSERT_EQ(Start(), "");
  api_.Fail(403, 1);
  const auto [status, body] = Get("/metrics?x");
  EXPECT_EQ(status, 500);
  EXPECT_EQ(body, "Internal Server Error: \"/metrics?x\": the API server refuses\n");
}

TEST_F(ServerTest, MorePathsMayBeAlwaysAllowed) {
  options_.authorization.rules.always_allow_paths = {"/metrics", "/debug/*"};
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(StatusOf("/metrics"), 200);
  EXPECT_EQ(StatusOf("/debug/pprof/heap"), 404);
  EXPECT_EQ(StatusOf("/healthz"), 403);
}

TEST_F(ServerTest, AWrongPatternIsAnError) {
  options_.authorization.rules.always_allow_paths = {"/a*b"};
  EXPECT_EQ(Start(), "only trailing * allowed in \"a*b\"");
}

TEST_F(ServerTest, OthersMayAddPaths) {
  options_.authorization.rules.always_allow_paths = {"/debug/*"};
  routes_.push_back({.path = "/debug/berth/queue",
                     .verb = "get",
                     .methods = {"GET", "HEAD"},
                     .handler = [](const Call& call, Reply reply) {
                       // From another thread, later.
                       std::thread([query = call.request.query, reply = std::move(reply)] {
                         reply({.body = "queue " + query});
                       }).detach();
                     }});
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(Get("/debug/berth/queue?a=b"), (std::pair<int, std::string>(200, "queue a=b")));
  net::TestTlsClient client(Client());
  client.Send("PUT /debug/berth/queue HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
  const std::string refused = client.ReadResponse();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 405 Method Not Allowed\r\nCache-Control: no-cache, private\r\n"))
      << refused;
  EXPECT_NE(refused.find("Allow: GET, HEAD\r\n"), std::string::npos);
}

TEST_F(ServerTest, CertificatesNameTheirOwners) {
  const net::TestAuthority authority;
  const net::TestAuthority stranger;
  options_.authentication.authorities.client_ca_file = WriteFile("ca.crt", authority.certificate());
  HandleWho();
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(Get("/who").second, "system:anonymous||system:unauthenticated");
  EXPECT_EQ(Get("/who", "", authority.IssueClient("ann", {"a", "b"})).second, "ann||a|b|system:authenticated");
  EXPECT_EQ(StatusOf("/metrics", "", authority.IssueClient("root", {"system:masters"})), 200);
  EXPECT_EQ(StatusOf("/who", "", stranger.IssueClient("ann")), 401);
  EXPECT_EQ(StatusOf("/who", "", authority.IssueServer("DNS:x")), 401);
}

TEST_F(ServerTest, StrangersDoNotFillTheLog) {
  const net::TestAuthority authority;
  const net::TestAuthority stranger;
  options_.authentication.authorities.client_ca_file = WriteFile("ca.crt", authority.certificate());
  ASSERT_EQ(Start(), "");
  const auto certificate = stranger.IssueClient("me", {}, {.serial_bytes = 4'000});
  for (int i = 0; i < 9; ++i) EXPECT_EQ(StatusOf("/livez", "", certificate), 401);
  server_.reset();
  const std::string lines = lines_.str();
  const size_t first = lines.find("Unable to authenticate the request");
  ASSERT_NE(first, std::string::npos) << lines;
  EXPECT_NE(lines.find("verifying certificate SN=(4000 bytes) of me failed"), std::string::npos) << lines;
  EXPECT_EQ(lines.find("Unable to authenticate the request", first + 1), std::string::npos) << lines;
}

TEST_F(ServerTest, FrontProxiesSpeakForOthers) {
  const net::TestAuthority proxies("proxies");
  options_.authentication.authorities.requestheader_ca_file = WriteFile("front.crt", proxies.certificate());
  options_.authentication.authorities.requestheader.allowed_names = {"front"};
  options_.authentication.authorities.requestheader.uid = {"X-Remote-Uid"};
  HandleWho();
  ASSERT_EQ(Start(), "");
  const auto front = proxies.IssueClient("front");
  EXPECT_EQ(Get("/who",
                "X-Remote-User: ann\r\nX-Remote-Uid: 7\r\nX-Remote-Group: a\r\nX-Remote-Group: b\r\n"
                "X-Remote-Extra-Some%2fKey: v\r\n",
                front)
                .second,
            "ann|7|a|b|system:authenticated|some/key=v");
  EXPECT_EQ(Get("/who", "", front).second, "system:anonymous||system:unauthenticated");
  EXPECT_EQ(StatusOf("/who", "X-Remote-User: ann\r\n", proxies.IssueClient("other")), 401);
  EXPECT_EQ(Get("/who", "X-Remote-User: ann\r\n").second, "system:anonymous||system:unauthenticated");
}

TEST_F(ServerTest, AuthoritiesAreLookedUpInTheCluster) {
  UseCluster();
  const net::TestAuthority clients("clients");
  const net::TestAuthority proxies("proxies");
  api_.SetAuthentication({{"client-ca-file", clients.certificate()},
                          {"requestheader-client-ca-file", proxies.certificate()},
                          {"requestheader-username-headers", R"(["X-Who"])"},
                          {"requestheader-allowed-names", R"(["front"])"}});
  HandleWho();
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(Get("/who", "", clients.IssueClient("ann")).second, "ann||system:authenticated");
  EXPECT_EQ(Get("/who", "X-Who: bob\r\n", proxies.IssueClient("front")).second, "bob||system:authenticated");
  EXPECT_EQ(StatusOf("/who", "X-Who: bob\r\n", proxies.IssueClient("back")), 401);
  net::TestTlsClient client(Client());
  EXPECT_EQ(client.told_authorities(), (std::vector<std::string>{"clients", "proxies"}));
}

TEST_F(ServerTest, AuthoritiesThatChangeInTheClusterAreNoticed) {
  UseCluster();
  options_.authentication.authorities.reread_cluster = std::chrono::milliseconds(5);
  const net::TestAuthority old("old");
  const net::TestAuthority renewed("renewed");
  api_.SetAuthentication({{"client-ca-file", old.certificate()}});
  HandleWho();
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(StatusOf("/who", "", renewed.IssueClient("ann")), 401);
  api_.SetAuthentication({{"client-ca-file", renewed.certificate()}});
  const auto ann = renewed.IssueClient("ann");
  while (StatusOf("/who", "", ann) != 200) std::this_thread::yield();
  while (net::TestTlsClient(Client()).told_authorities() != std::vector<std::string>{"renewed"}) {
    std::this_thread::yield();
  }
}

TEST_F(ServerTest, ALookupThatFailsIsToleratedUnlessItMustNotBe) {
  UseCluster();
  api_.Fail(403, 1);
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(StatusOf("/healthz"), 200);
  server_.reset();
  options_.authentication.authorities.tolerate_lookup_failure = false;
  api_.Fail(403, 1);
  EXPECT_EQ(Start(), "read configmap/extension-apiserver-authentication in kube-system: the API server refuses");
  // What is not there is no failure.
  EXPECT_EQ(Start(), "");
}

TEST_F(ServerTest, TheLookupMayBeSkipped) {
  UseCluster();
  options_.authentication.authorities.skip_lookup = true;
  options_.authentication.authorities.tolerate_lookup_failure = false;
  api_.Fail(403, 1);
  ASSERT_EQ(Start(), "");
  EXPECT_TRUE(net::TestTlsClient(Client()).told_authorities().empty());
}

TEST_F(ServerTest, AuthorityFilesMayEndWithoutANewline) {
  const auto write = [&](const std::string& name, std::string pem) {
    while (pem.ends_with('\n')) pem.pop_back();
    return WriteFile(name, pem);
  };
  const net::TestAuthority clients("clients");
  const net::TestAuthority proxies("proxies");
  options_.authentication.authorities.client_ca_file = write("ca.crt", clients.certificate());
  options_.authentication.authorities.requestheader_ca_file = write("front.crt", proxies.certificate());
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(net::TestTlsClient(Client()).told_authorities(), (std::vector<std::string>{"clients", "proxies"}));
}

TEST_F(ServerTest, AuthorityFilesMustBeReadable) {
  options_.authentication.authorities.client_ca_file = folder_ / "missing";
  EXPECT_NE(Start().find("missing (--client-ca-file): "), std::string::npos);
  options_.authentication.authorities.client_ca_file = WriteFile("wrong", "no certificate");
  EXPECT_NE(Start().find("TLS: client-ca-file: no certificate in PEM found"), std::string::npos);
}

TEST_F(ServerTest, ItsCertificateIsMadeInMemory) {
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(net::TestTlsClient(Client()).server_names(), "DNS:localhost, IP Address:127.0.0.1, IP Address:127.0.0.1");
}

TEST_F(ServerTest, ItsCertificateIsKeptInAFolder) {
  options_.serving.listen.address = "0.0.0.0";
  options_.serving.certificates.folder = folder_ / "new" / "certs";
  ASSERT_EQ(Start(), "");
  const std::string names = net::TestTlsClient(Client()).server_names();
  EXPECT_EQ(names, "DNS:localhost, DNS:localhost, IP Address:127.0.0.1");
  const std::filesystem::path key = folder_ / "new" / "certs" / "kube-scheduler.key";
  const std::filesystem::path certificate = folder_ / "new" / "certs" / "kube-scheduler.crt";
  EXPECT_EQ(std::filesystem::status(key).permissions(), std::filesystem::perms(0600));
  const auto content = api::ReadText(certificate);
  ASSERT_TRUE(content.has_value());
  server_.reset();
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(*api::ReadText(certificate), *content);
  server_.reset();
  std::filesystem::remove(key);
  EXPECT_NE(Start().find("certificate and key must be supplied as a pair"), std::string::npos);
}

TEST_F(ServerTest, CertificateFilesThatChangeAreNoticed) {
  const net::TestAuthority authority;
  const auto write = [&](const std::string& names) {
    const auto pair = authority.IssueServer(names);
    options_.serving.certificates.certificate_file = WriteFile("tls.crt", pair.certificate);
    // Between these lines, the files do not belong together.
    options_.serving.certificates.key_file = WriteFile("tls.key", pair.key);
  };
  write("DNS:old.test");
  options_.serving.reread_certificates = std::chrono::milliseconds(5);
  ASSERT_EQ(Start(), "");
  EXPECT_EQ(net::TestTlsClient(Client()).server_names(), "DNS:old.test");
  write("DNS:new.test");
  while (net::TestTlsClient(Client()).server_names() != "DNS:new.test") std::this_thread::yield();
  std::filesystem::remove(options_.serving.certificates.key_file);
  EXPECT_EQ(net::TestTlsClient(Client()).server_names(), "DNS:new.test");
}

TEST_F(ServerTest, SeveralNamesHaveSeveralCertificates) {
  const net::TestAuthority authority;
  const auto pair = authority.IssueServer("DNS:a.test");
  options_.serving.certificates.named = {
      {WriteFile("a.crt", pair.certificate), WriteFile("a.key", pair.key), {"b.test"}}};
  ASSERT_EQ(Start(), "");
  net::TestTlsClientOptions client = Client();
  client.server_name = "b.test";
  EXPECT_EQ(net::TestTlsClient(client).server_names(), "DNS:a.test");
  client.server_name = "a.test";
  EXPECT_NE(net::TestTlsClient(client).server_names(), "DNS:a.test");
}

TEST_F(ServerTest, CertificateFilesMustBeUsable) {
  options_.serving.certificates.certificate_file = folder_ / "missing";
  EXPECT_EQ(Start(), "--tls-cert-file and --tls-private-key-file must be given together");
  options_.serving.certificates.key_file = folder_ / "missing";
  EXPECT_NE(Start().find("missing: "), std::string::npos);
  options_.serving.certificates.certificate_file = WriteFile("x", "x");
  options_.serving.certificates.key_file = WriteFile("y", "y");
  EXPECT_EQ(Start(), "TLS: certificate: no certificate in PEM found");
}

TEST_F(ServerTest, StrangersGetOneAnswerOnHttp2) {
  UseCluster();
  api_.SetToken("t", "ann");
  ASSERT_EQ(Start(), "");
  net::TestLoopThread thread;
  net::Endpoint endpoint = {.host = "127.0.0.1", .port = server_->port()};
  endpoint.tls = net::TlsClientContext::Make({.skip_verification = true}).value();
  const auto connections = [&](const net::Headers& headers) {
    std::unique_ptr<net::HttpClient> client;
    thread.Do([&] { client = std::make_unique<net::HttpClient>(thread.loop(), endpoint); });
    for (int i = 0; i < 2; ++i) {
      auto response = std::make_shared<net::CollectedResponse>();
      thread.Do([&] { client->Send({.path = "/healthz", .headers = headers}, response); });
      EXPECT_EQ(response->WaitForEnd(), net::ExchangeEnd::Complete);
      EXPECT_EQ(response->status(), 200);
    }
    uint64_t count = 0;
    thread.Do([&] {
      count = client->stats().connections;
      client.reset();
    });
    return count;
  };
  EXPECT_EQ(connections({}), 2u);
  EXPECT_EQ(connections({{"authorization", "Bearer t"}}), 1u);
}

TEST_F(ServerTest, Http2MayBeTurnedOff) {
  options_.serving.http2 = false;
  ASSERT_EQ(Start(), "");
  net::TestTlsClientOptions client = Client();
  client.protocols = {"h2", "http/1.1"};
  EXPECT_EQ(net::TestTlsClient(client).protocol(), "http/1.1");
}

TEST_F(ServerTest, SlowMetricsDoNotKeepProbesWaiting) {
  options_.authorization.rules.always_allow_paths = {"/*"};
  std::promise<void> release;
  std::promise<void> gathering;
  options_.pages.metrics = [&](std::string& out) {
    gathering.set_value();
    release.get_future().wait();
    out += "slow 1\n";
  };
  ASSERT_EQ(Start(), "");
  net::TestTlsClient scraper(Client());
  scraper.Send("GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n");
  gathering.get_future().wait();
  EXPECT_EQ(StatusOf("/healthz"), 200);
  release.set_value();
  EXPECT_TRUE(scraper.ReadResponse().ends_with("slow 1\n"));
}

TEST_F(ServerTest, StoppingAnswersWhatWasAsked) {
  options_.authorization.rules.always_allow_paths = {"/*"};
  std::promise<Reply> asked;
  routes_.push_back({.path = "/wait", .handler = [&](const Call&, Reply reply) { asked.set_value(std::move(reply)); }});
  ASSERT_EQ(Start(), "");
  net::TestTlsClient client(Client());
  client.Send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
  const Reply reply = asked.get_future().get();
  std::thread stopping([&] { server_->Stop(std::chrono::minutes(1)); });
  reply({.body = "last"});
  EXPECT_TRUE(client.ReadToEnd().ends_with("last"));
  stopping.join();
  server_.reset();
  reply({.body = "too late"});
}

TEST_F(ServerTest, APortThatIsTakenIsAnError) {
  ASSERT_EQ(Start(), "");
  ServerOptions second = options_;
  second.serving.listen.port = server_->port();
  Server other(second, clock_);
  const Result<void> started = other.Start();
  ASSERT_FALSE(started.has_value());
  EXPECT_NE(started.error().message.find("failed to listen on 127.0.0.1:"), std::string::npos);
}

}  // namespace
}  // namespace berth::serve
