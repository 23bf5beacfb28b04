// SPDX-License-Identifier: Apache-2.0
#include "kube/access/credentials.h"

#include "kube/access/test_files.h"
#include "log/output.h"

#include <algorithm>
#include <sstream>

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

}  // namespace
}  // namespace berth::kube
