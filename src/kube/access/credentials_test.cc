// SPDX-License-Identifier: Apache-2.0
#include "kube/access/credentials.h"

#include "kube/access/test_files.h"
#include "log/output.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using namespace std::chrono_literals;

class CredentialsTest : public testing::Test {
 protected:
  Credentials Make(CredentialSource source) {
    return {std::move(source), files_.surroundings(), clock_, log::Logger(output_, "kube")};
  }
  static std::string AuthorizationOf(Credentials& credentials) {
    const auto given = credentials.Current();
    return given ? (*given)->authorization : given.error().message;
  }
  size_t LinesLogged() const {
    const std::string text = stream_.str();
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  TestFiles files_;
  ManualClock clock_{Timestamp(1'000'000s)};
  std::ostringstream stream_;
  log::Output output_{stream_, clock_, {}};
};

TEST_F(CredentialsTest, MayBeNoneAtAll) {
  Credentials none = Make({});
  EXPECT_EQ(AuthorizationOf(none), "");
  EXPECT_TRUE(none.Current().value()->key_pair.empty());
}

TEST_F(CredentialsTest, AreATokenABasicUserOrACertificate) {
  Credentials token = Make({.token = "abc"});
  EXPECT_EQ(AuthorizationOf(token), "Bearer abc");
  Credentials basic = Make({.basic = Url::User{"joe", "pw"}});
  EXPECT_EQ(AuthorizationOf(basic), "Basic am9lOnB3");
  Credentials certificate = Make({.key_pair = {"CERT", "KEY"}});
  EXPECT_EQ(AuthorizationOf(certificate), "");
  EXPECT_EQ(certificate.Current().value()->key_pair, (KeyPair{"CERT", "KEY"}));
}

TEST_F(CredentialsTest, FollowATokenFileThatRotates) {
  files_.Write("/token", "one\n");
  Credentials credentials = Make({.token_file = "/token", .token = "written"});
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer one") << "the file wins";
  files_.Write("/token", " two \n");
  clock_.Advance(49s);
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer one");
  clock_.Advance(1s);
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer two");
  EXPECT_EQ(credentials.Current().value()->tls_generation, 1U) << "connections may stay";
}

TEST_F(CredentialsTest, KeepTheOldTokenWhenTheFileVanishes) {
  files_.Write("/token", "one");
  Credentials credentials = Make({.token_file = "/token"});
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer one");
  files_.Remove("/token");
  clock_.Advance(1min);
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer one");
  clock_.Advance(10s);
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer one");
  EXPECT_EQ(LinesLogged(), 1U) << "a failure that goes on is logged once";
  EXPECT_NE(stream_.str().find("file=\"/token\" err=\"no such file or directory\""), std::string::npos)
      << stream_.str();
  files_.Write("/token", "");
  clock_.Advance(10s);
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer one");
  files_.Write("/token", "two");
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer one") << "it was tried just now";
  clock_.Advance(1s);
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer two");
  files_.Remove("/token");
  clock_.Advance(1min);
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer two");
  EXPECT_EQ(LinesLogged(), 2U);
}

TEST_F(CredentialsTest, UseTheWrittenTokenWhileTheFileIsMissing) {
  Credentials written = Make({.token_file = "/token", .token = "written"});
  EXPECT_EQ(AuthorizationOf(written), "Bearer written");
  Credentials nothing = Make({.token_file = "/token"});
  EXPECT_EQ(AuthorizationOf(nothing), "failed to read token file \"/token\": no such file or directory");
}

TEST_F(CredentialsTest, ReadTheTokenAgainWhenTheServerRejectsIt) {
  files_.Write("/token", "one");
  Credentials credentials = Make({.token_file = "/token"});
  const uint64_t first = credentials.Current().value()->generation;
  files_.Write("/token", "two");
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer one");
  credentials.Reject(first);
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer two");
  files_.Write("/token", "three");
  credentials.Reject(first);
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer two") << "a late answer to the first says nothing of the second";
}

TEST_F(CredentialsTest, SurviveAClockThatIsSetBack) {
  files_.Write("/token", "one");
  Credentials credentials = Make({.token_file = "/token"});
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer one");
  files_.Write("/token", "two");
  clock_.Advance(-24h);
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer two");
}

TEST_F(CredentialsTest, FollowCertificateFilesThatRotate) {
  files_.Write("/c", "CERT1");
  files_.Write("/k", "KEY1");
  Credentials credentials = Make({.key_pair = {"CERT1", "KEY1"}, .certificate_file = "/c", .key_file = "/k"});
  EXPECT_EQ(credentials.Current().value()->tls_generation, 1U) << "nothing has changed";
  files_.Write("/c", "CERT2");
  files_.Remove("/k");
  clock_.Advance(1min);
  EXPECT_EQ(credentials.Current().value()->key_pair, (KeyPair{"CERT1", "KEY1"})) << "both or none";
  EXPECT_EQ(LinesLogged(), 1U);
  files_.Write("/k", "KEY2");
  clock_.Advance(1s);
  EXPECT_EQ(credentials.Current().value()->key_pair, (KeyPair{"CERT2", "KEY2"}));
  EXPECT_EQ(credentials.Current().value()->tls_generation, 2U) << "connections are to be replaced";
}

// A plugin that counts its runs in its output.
class ExecCredentialsTest : public testing::Test {
 protected:
  ExecCredentialsTest() { surroundings_.stdin_is_terminal = false; }
  // `status` may use $n, the number of this run.
  CredentialSource Plugin(const std::string& status) const {
    ExecPlugin plugin;
    plugin.api_version = kExecV1;
    plugin.command = folder_.Script(
        "plug", fmt::format("cd $(dirname $0); echo run >> runs; n=$(wc -l < runs); [ -e broken ] && exit 1\n"
                            "cat <<END\n{{\"kind\":\"ExecCredential\",\"apiVersion\":\"{}\",\"status\":{}}}\nEND",
                            kExecV1, status));
    return {.exec = plugin};
  }
  size_t Runs() const {
    const std::string text = ReadWholeFile(folder_.Path("runs")).value();
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  TestFolder folder_;
  Surroundings surroundings_ = OfThisProcess();
  ManualClock clock_{std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)};
};

TEST_F(CredentialsTest, FollowAnAuthorityThatIsReplaced) {
  files_.Write("/ca", FakeCertificate("one"));
  Credentials credentials = Make({.token = "abc", .ca_file = "/ca"});
  EXPECT_EQ(credentials.Current().value()->ca, FakeCertificate("one"));
  const uint64_t before = credentials.Current().value()->tls_generation;
  for (const char* unusable : {"", "-----BEGIN CERTIFICATE-----"}) {
    files_.Write("/ca", unusable);
    clock_.Advance(1min);
    EXPECT_EQ(credentials.Current().value()->ca, FakeCertificate("one")) << unusable;
  }
  EXPECT_EQ(LinesLogged(), 1U);
  EXPECT_EQ(credentials.Current().value()->tls_generation, before) << "connections may stay";
  files_.Write("/ca", FakeCertificate("two"));
  clock_.Advance(1min);
  EXPECT_EQ(credentials.Current().value()->ca, FakeCertificate("two"));
  EXPECT_EQ(credentials.Current().value()->tls_generation, before + 1);
  EXPECT_EQ(AuthorizationOf(credentials), "Bearer abc");
}

TEST_F(ExecCredentialsTest, AreKeptUntilTheyExpire) {
  Credentials credentials(Plugin(R"({"token":"t$n","expirationTimestamp":"2026-01-01T00:10:00Z"})"), surroundings_,
                          clock_);
  EXPECT_EQ(credentials.Current().value()->authorization, "Bearer t1");
  clock_.Advance(10min);
  EXPECT_EQ(credentials.Current().value()->authorization, "Bearer t1");
  clock_.Advance(1s);
  EXPECT_EQ(credentials.Current().value()->authorization, "Bearer t2");
  EXPECT_EQ(credentials.Current().value()->tls_generation, 1U);
}

TEST_F(ExecCredentialsTest, AreAskedForAnewWhenTheServerRejectsThem) {
  Credentials credentials(Plugin(R"({"token":"same"})"), surroundings_, clock_);
  const uint64_t first = credentials.Current().value()->generation;
  clock_.Advance(24h * 365);
  EXPECT_EQ(credentials.Current().value()->generation, first);
  EXPECT_EQ(Runs(), 1U);
  credentials.Reject(first);
  EXPECT_GT(credentials.Current().value()->generation, first);
  EXPECT_EQ(Runs(), 2U);
  credentials.Reject(first);
  EXPECT_TRUE(credentials.Current());
  EXPECT_EQ(Runs(), 2U) << "what was rejected is gone already";
}

TEST_F(ExecCredentialsTest, MayBeCertificatesThatMakeConnectionsOld) {
  Credentials credentials(
      Plugin(R"({"clientCertificateData":"C$n","clientKeyData":"K$n","expirationTimestamp":"2026-01-01T00:10:00Z"})"),
      surroundings_, clock_);
  const auto first = credentials.Current().value();
  EXPECT_EQ(first->authorization, "");
  EXPECT_EQ(first->key_pair, (KeyPair{"C1", "K1"}));
  clock_.Advance(11min);
  const auto second = credentials.Current().value();
  EXPECT_EQ(second->key_pair, (KeyPair{"C2", "K2"}));
  EXPECT_GT(second->tls_generation, first->tls_generation);
}

TEST_F(ExecCredentialsTest, AreAnErrorWhenThePluginFailsAndComeBack) {
  const CredentialSource source = Plugin(R"({"token":"t$n"})");
  Credentials credentials(source, surroundings_, clock_);
  folder_.Script("broken", "");
  EXPECT_EQ(credentials.Current().error().message, "getting credentials: exec: executable " + source.exec->command +
                                                       " failed with exit code 1: it wrote nothing to standard error");
  std::remove(folder_.Path("broken").c_str());
  EXPECT_EQ(credentials.Current().value()->authorization, "Bearer t2");
}

TEST_F(ExecCredentialsTest, AreFetchedOnceForManyThreads) {
  Credentials credentials(Plugin(R"({"token":"t$n"})"), surroundings_, clock_);
  std::vector<std::string> seen(8);
  std::vector<std::thread> threads;
  for (std::string& mine : seen) {
    threads.emplace_back([&] { mine = credentials.Current().value()->authorization; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen, std::vector<std::string>(8, "Bearer t1"));
  EXPECT_EQ(Runs(), 1U);
}

}  // namespace
}  // namespace berth::kube
