// SPDX-License-Identifier: Apache-2.0
#include "kube/access/server_address.h"

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

TEST(ServerAddress, IsReadAsClientGoReadsIt) {
  const struct {
    const char* text;
    const char* normal;
  } cases[] = {
      {"https://1.2.3.4:6443", "https://1.2.3.4:6443"},
      {"https://example.com", "https://example.com:443"},
      {"http://example.com/", "http://example.com:80"},
      {"HTTPS://example.com:", "https://example.com:443"},
      {"https://example.com/a/b/", "https://example.com:443/a/b"},
      {"https://example.com/a//b?x=1#f", "https://example.com:443/a/b"},
      {"https://example.com/a%20b", "https://example.com:443/a%20b"},
      {"https://example.com/a b", "https://example.com:443/a%20b"},
      {"https://[::1]:6443", "https://[::1]:6443"},
      {"https://[fe80::1]", "https://[fe80::1]:443"},
      {"https://[fe80::1%25eth0]:1", "https://[fe80::1%25eth0]:1"},
      {"1.2.3.4:6443", "http://1.2.3.4:6443"},
      {"[::1]:6443", "http://[::1]:6443"},
      {"localhost:8080", "http://localhost:8080"},
      {"localhost", "http://localhost:80"},
  };
  for (const auto& one : cases) {
    const Result<ServerAddress> address = ParseServerAddress(one.text);
    ASSERT_TRUE(address) << one.text << ": " << address.error().message;
    EXPECT_EQ(address->Text(), one.normal);
  }
}

TEST(ServerAddress, HasItsPortInItsAuthorityOnlyIfItWasWritten) {
  for (const std::string authority : {"example.com", "example.com:443", "[::1]", "[::1]:6443"}) {
    EXPECT_EQ(ParseServerAddress("https://" + authority + "/p")->Authority(), authority);
  }
}

TEST(ServerAddress, OfIpv6HasNoBracketsInItsHost) {
  const Result<ServerAddress> address = ParseServerAddress("https://[fd00::1]:6443/p");
  EXPECT_EQ(address->host, "fd00::1");
  EXPECT_EQ(ParseServerAddress("https://[fe80::1%25eth0]")->host, "fe80::1%eth0");
  EXPECT_EQ(address->port, 6443);
  EXPECT_EQ(address->path_prefix, "/p");
  EXPECT_TRUE(address->tls);
}

TEST(ServerAddress, KeepsTheUserOfTheUrl) {
  const Result<ServerAddress> address = ParseServerAddress("https://joe:p%40ss@example.com");
  EXPECT_EQ(address->user->name, "joe");
  EXPECT_EQ(address->user->password, "p@ss");
  EXPECT_EQ(address->host, "example.com");
}

TEST(ServerAddress, ThatIsNoneSaysWhy) {
  const struct {
    const char* text;
    const char* why;
  } cases[] = {
      {"example.com/path", "host must be a URL or a host:port pair"},
      {"https://exa mple.com", "invalid character in host name \"exa mple.com\""},
      {"https://example.com:99999", "invalid port \":99999\" after host"},
      {"https://example.com:x", "invalid port \":x\" after host"},
      {"https://a:1:2", "invalid port \":1:2\" after host"},
      {"https://example.com/%zz", "invalid percent-encoding in path"},
      {"https://[::1", "missing ']' in host"},
      {"https://[1.2.3.4]", "\"1.2.3.4\" is no IPv6 address"},
      {"https://[fe80::1%eth0]", "invalid percent-encoding in host"},
      {"https://:6443", "it names no host"},
      {"ftp://example.com", "unsupported protocol scheme \"ftp\""},
      {"https://a\nb", "invalid control character in URL"},
      {"", "it names no host"},
  };
  for (const auto& one : cases) {
    const Result<ServerAddress> address = ParseServerAddress(one.text);
    ASSERT_FALSE(address) << one.text;
    EXPECT_EQ(address.error().message, std::string("server \"") + one.text + "\" cannot be used: " + one.why +
                                           "; give a URL such as https://10.0.0.1:6443");
  }
}

TEST(ServerAddress, ThatIsNoneKeepsItsPassword) {
  EXPECT_EQ(ParseServerAddress("ftp://joe:secret@h").error().message,
            "server \"ftp://joe:***@h\" cannot be used: unsupported protocol scheme \"ftp\"; give a URL such as "
            "https://10.0.0.1:6443");
}

TEST(WithoutPassword, HidesOnlyThePassword) {
  EXPECT_EQ(WithoutPassword("http://joe:secret@proxy:1"), "http://joe:***@proxy:1");
  EXPECT_EQ(WithoutPassword("joe:se@cret@proxy"), "joe:***@proxy");
  EXPECT_EQ(WithoutPassword("http://proxy:3128"), "http://proxy:3128");
  EXPECT_EQ(WithoutPassword("http://joe@proxy:3128"), "http://joe@proxy:3128");
}

}  // namespace
}  // namespace berth::kube
