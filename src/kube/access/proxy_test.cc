// SPDX-License-Identifier: Apache-2.0
#include "kube/access/proxy.h"

#include "kube/access/test_files.h"

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

// "host:port", or "none", or the error.
std::string ProxyOf(const std::string& server, const Variables& variables) {
  Surroundings surroundings;
  surroundings.variables = variables;
  const Result<std::optional<Proxy>> proxy = ProxyFromEnvironment(ParseServerAddress(server).value(), surroundings);
  if (!proxy) return proxy.error().message;
  return *proxy ? HostPort((*proxy)->host, (*proxy)->port) : "none";
}

TEST(ProxyFromEnvironment, DependsOnTheScheme) {
  EXPECT_EQ(ProxyOf("https://1.2.3.4", {{"HTTPS_PROXY", "http://p:1"}, {"https_proxy", "q:2"}}), "p:1");
  EXPECT_EQ(ProxyOf("https://1.2.3.4", {{"https_proxy", "q"}}), "q:80");
  EXPECT_EQ(ProxyOf("https://1.2.3.4", {{"HTTP_PROXY", "p:1"}}), "none");
  EXPECT_EQ(ProxyOf("http://1.2.3.4", {{"HTTP_PROXY", "p:1"}}), "p:1");
  EXPECT_EQ(ProxyOf("https://1.2.3.4", {{"HTTPS_PROXY", "http://%zz"}}), "none");
}

TEST(ProxyFromEnvironment, IsNotUsedForThisMachine) {
  for (const char* server : {"https://localhost:6443", "https://127.0.0.1:6443", "https://127.8.9.1", "https://[::1]",
                             "https://[::ffff:127.0.0.1]:6443"}) {
    EXPECT_EQ(ProxyOf(server, {{"HTTPS_PROXY", "p:1"}}), "none") << server;
  }
}

TEST(ProxyFromEnvironment, FollowsNoProxyAsGoDoes) {
  const struct {
    const char* server;
    const char* no_proxy;
    bool direct;
  } cases[] = {
      {"https://1.2.3.4:6443", "1.2.3.4", true},
      {"https://1.2.3.4:6443", "1.2.3.4:6443", true},
      {"https://1.2.3.4:6443", "1.2.3.4:443", false},
      {"https://1.2.3.4:6443", "a,1.2.0.0/16", true},
      {"https://1.3.3.4:6443", "1.2.0.0/16", false},
      {"https://1.2.3.4", "::/0", false},
      {"https://1.2.3.4", "1.2.3.4/33", false},
      {"https://1.2.3.4", "::ffff:1.2.3.4", true},
      {"https://1.2.3.4", "2.3.4,.4", false},
      {"https://[fd00::1]", "fd00::/8", true},
      {"https://[fd00::1]", "fd00::1", true},
      {"https://[fd00::1]", "[fd00::1]:443", true},
      {"https://[fd00::1]", "[fd00::1]", false},
      {"https://api.foo.com", "foo.com", true},
      {"https://xfoo.com", "foo.com", false},
      {"https://foo.com", ".foo.com", false},
      {"https://Api.foo.com", " *.FOO.com ", true},
      {"https://foo.com:8443", "foo.com:8443", true},
      {"https://foo.com:8443", "foo.com:443", false},
      {"https://x", "a,*", true},
      {"https://x", ":80,,:,y", false},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(ProxyOf(one.server, {{"HTTPS_PROXY", "p:1"}, {"NO_PROXY", one.no_proxy}}), one.direct ? "none" : "p:1")
        << one.server << " with " << one.no_proxy;
  }
  EXPECT_EQ(ProxyOf("https://x", {{"HTTPS_PROXY", "p:1"}, {"no_proxy", "x"}}), "none");
}

TEST(ProxyFromEnvironment, OfAnotherKindIsRefusedByName) {
  EXPECT_EQ(ProxyOf("https://k", {{"https_proxy", "https://p"}}),
            "environment variable https_proxy: proxy for https://k:443 cannot be used: Berth does not support https "
            "proxies: use an http or socks5 proxy, or name the server in NO_PROXY");
}

TEST(ParseProxy, KeepsWhoWeAreThere) {
  const Result<Proxy> proxy = ParseProxy("http://joe:p%40x@proxy.example");
  EXPECT_EQ(proxy->host, "proxy.example");
  EXPECT_EQ(proxy->port, 80);
  EXPECT_EQ(BasicAuthorization(*proxy->user), "Basic am9lOnBAeA==");
  EXPECT_FALSE(proxy->is_socks);
  EXPECT_EQ(ParseProxy("http://[::1]:3128")->host, "::1");
  EXPECT_FALSE(ParseProxy("http://[::1]:3128")->user);
  const Result<Proxy> socks = ParseProxy("socks5://joe:pw@p");
  EXPECT_TRUE(socks->is_socks);
  EXPECT_EQ(socks->port, 1080);
  EXPECT_EQ(socks->user->password, "pw");
}

}  // namespace
}  // namespace berth::kube
