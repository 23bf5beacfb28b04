// SPDX-License-Identifier: Apache-2.0
// Extenders behind TLS.
#include "extender/test_calls.h"
#include "net/test_certificates.h"
#include "net/test_http_server.h"
#include "net/test_server.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::extender {
namespace {

// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "extender.XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name) << content;
    return path_ / name;
  }
  std::string Missing() const { return path_ / "missing"; }

 private:
  std::filesystem::path path_;
};

class SecureCallsTest : public testing::Test, public CallBed {
 protected:
  // A server of HTTP/2 that tells who asks.
  void Serve(bool asks_for_certificate = false, const std::string& names = "IP:127.0.0.1") {
    net::TestServerOptions server_options = {.tls = authority_.IssueServer(names)};
    if (asks_for_certificate) server_options.client_ca = authority_.certificate();
    server_ = std::make_unique<net::TestServer>(server_options, [&](const std::shared_ptr<net::ServerStream>& stream) {
      ++requests_;
      stream->Respond(200, R"({"Error":"asked by )" + stream->client_name + R"("})");
    });
    config.url_prefix = fmt::format("https://127.0.0.1:{}", server_->port());
  }
  ~SecureCallsTest() override { extenders = nullptr; }
  std::string StartError() {
    const auto started = Extenders::Start({config}, options);
    return started ? "" : started.error().message;
  }

  net::TestAuthority authority_;
  std::atomic<int> requests_ = 0;
  std::unique_ptr<net::TestServer> server_;
  Folder folder_;
};

constexpr const char* kAnswered = "asked by ";

TEST_F(SecureCallsTest, Http2IsSpokenOnOneConnection) {
  Serve();
  config.tls.emplace().ca_data = authority_.certificate();
  Start();
  std::vector<Awaited<Extender::BindAnswer>> answers(20);
  for (auto& answer : answers) extender().Bind(PodNamed("p"), "n1", answer.Taker());
  for (auto& answer : answers) EXPECT_EQ(answer.Get().error, kAnswered);
  EXPECT_EQ(requests_, 20);
  EXPECT_EQ(server_->connections(), 1u);
}

TEST_F(SecureCallsTest, AClientCertificateIsShown) {
  Serve(true);
  const net::CertifiedKey client = authority_.IssueClient("berth");
  config.tls.emplace();
  config.tls->cert_data = client.certificate;
  config.tls->key_data = client.key;
  config.tls->ca_data = authority_.certificate();
  Start();
  EXPECT_EQ(Bind("n1").error, "asked by berth");
}

TEST_F(SecureCallsTest, CertificatesAreReadFromFiles) {
  Serve(true);
  const net::CertifiedKey client = authority_.IssueClient("berth");
  config.tls.emplace();
  config.tls->cert_file = folder_.Write("cert", client.certificate);
  config.tls->key_file = folder_.Write("key", client.key);
  config.tls->ca_file = folder_.Write("ca", authority_.certificate());
  Start();
  EXPECT_EQ(Bind("n1").error, "asked by berth");
}

TEST_F(SecureCallsTest, WithoutACertificateAServerThatAsksForOneRefuses) {
  Serve(true);
  config.tls.emplace().ca_data = authority_.certificate();
  Start();
  EXPECT_TRUE(Bind("n1").error.starts_with("Post \"" + config.url_prefix + "/bind\": "));
  EXPECT_EQ(requests_, 0);
}

TEST_F(SecureCallsTest, HttpsWithoutAnAuthorityIsNotVerified) {
  Serve();
  config.enable_https = true;
  Start();
  EXPECT_EQ(Bind("n1").error, kAnswered);
}

TEST_F(SecureCallsTest, AnHttpsUrlAloneIsVerifiedByTheSystem) {
  Serve();
  Start();
  const std::string error = Bind("n1").error;
  EXPECT_TRUE(error.find("the server's certificate is not trusted") != std::string::npos) << error;
  EXPECT_EQ(requests_, 0);
}

TEST_F(SecureCallsTest, AnotherAuthorityIsNotTrusted) {
  Serve();
  config.enable_https = true;
  config.tls.emplace().ca_data = net::TestAuthority().certificate();
  Start();
  const std::string error = Bind("n1").error;
  EXPECT_TRUE(error.find("the server's certificate is not trusted") != std::string::npos) << error;
}

TEST_F(SecureCallsTest, InsecureTrustsAnyone) {
  Serve();
  config.tls.emplace().insecure = true;
  Start();
  EXPECT_EQ(Bind("n1").error, kAnswered);
}

TEST_F(SecureCallsTest, TheCertificateMayBeForAnotherName) {
  Serve(false, "DNS:extender.example.com");
  config.tls.emplace().ca_data = authority_.certificate();
  Start();
  EXPECT_NE(Bind("n1").error, kAnswered);
  config.tls->server_name = "extender.example.com";
  extenders = nullptr;
  Start();
  EXPECT_EQ(Bind("n1").error, kAnswered);
}

TEST_F(SecureCallsTest, AConnectionThatTheServerLeavesIsReplaced) {
  net::TestServerOptions server_options = {.tls = authority_.IssueServer("IP:127.0.0.1"), .goaway_after = 1};
  server_ = std::make_unique<net::TestServer>(
      server_options, [&](const std::shared_ptr<net::ServerStream>& stream) { stream->Respond(200, "{}"); });
  config.url_prefix = fmt::format("https://127.0.0.1:{}", server_->port());
  config.tls.emplace().ca_data = authority_.certificate();
  Start();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Bind("n1").error, "");
}

TEST_F(SecureCallsTest, Http11IsSpokenToThoseWhoSpeakNoOther) {
  net::HttpServerBed old;
  old.Serve(
      [](const net::ServerRequest& request, const net::Responder& respond) {
        respond({.body = R"({"Error":"HTTP/)" + std::to_string(request.http_major) + R"("})"});
      },
      {.offers_http2 = false});
  config.url_prefix = fmt::format("https://127.0.0.1:{}", old.Client().port);
  config.enable_https = true;
  Start();
  EXPECT_EQ(Bind("n1").error, "HTTP/1");
  EXPECT_EQ(Bind("n1").error, "HTTP/1");
  old.WaitForConnections(1);
  extenders = nullptr;
}

TEST_F(SecureCallsTest, FilesThatCannotBeReadAreNamedAtOnce) {
  config.url_prefix = "https://127.0.0.1:1/x";
  config.tls.emplace().ca_file = folder_.Missing();
  EXPECT_EQ(StartError(), "extender \"https://127.0.0.1:1/x\" cannot be used: open " + folder_.Missing() +
                              ": no such file or directory");
  config.tls.emplace().ca_data = "nonsense";
  EXPECT_TRUE(StartError().starts_with("extender \"https://127.0.0.1:1/x\" cannot be used: ")) << StartError();
}

TEST_F(SecureCallsTest, AProxyOfTheEnvironmentIsUsed) {
  config.url_prefix = "http://extender.example.com";
  options.surroundings.variables["HTTP_PROXY"] = "http://127.0.0.1:1";
  Start();
  const std::string error = Bind("n1").error;
  EXPECT_TRUE(error.find("the proxy 127.0.0.1:1") != std::string::npos) << error;
}

}  // namespace
}  // namespace berth::extender
