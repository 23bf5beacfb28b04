// SPDX-License-Identifier: Apache-2.0
#include "extender/extender_url.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::extender {
namespace {

TEST(ExtenderUrl, IsThePrefixWithTheVerb) {
  struct Case {
    std::string prefix, verb, text, host;
    uint16_t port;
    bool tls;
    std::string target;
  };
  const std::vector<Case> cases = {
      {"http://localhost:8888/", "filter", "http://localhost:8888/filter", "localhost", 8888, false, "/filter"},
      {"http://localhost:8888///", "filter", "http://localhost:8888/filter", "localhost", 8888, false, "/filter"},
      {"http://h/a//b", "v1/bind", "http://h/a//b/v1/bind", "h", 80, false, "/a//b/v1/bind"},
      {"https://10.0.0.1", "f", "https://10.0.0.1/f", "10.0.0.1", 443, true, "/f"},
      {"http://[::1]:80/x", "f", "http://[::1]:80/x/f", "::1", 80, false, "/x/f"},
      {"HTTP://h:1", "f g", "HTTP://h:1/f g", "h", 1, false, "/f%20g"},
      {"http://h", "f?a=b c#d", "http://h/f?a=b c#d", "h", 80, false, "/f?a=b%20c"},
  };
  for (const Case& each : cases) {
    const auto url = ParseExtenderUrl(each.prefix, each.verb);
    ASSERT_TRUE(url.has_value()) << url.error().message;
    EXPECT_EQ(url->text, each.text);
    EXPECT_EQ(url->server.host, each.host) << each.text;
    EXPECT_EQ(url->server.port, each.port) << each.text;
    EXPECT_EQ(url->server.tls, each.tls) << each.text;
    EXPECT_EQ(url->target, each.target) << each.text;
  }
}

TEST(ExtenderUrl, ThatCannotBeUsedIsExplainedAsGoDoes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"localhost:8888", R"(Post "localhost:8888/f": unsupported protocol scheme "localhost")"},
      {"ftp://h", R"(Post "ftp://h/f": unsupported protocol scheme "ftp")"},
      {"", R"(Post "/f": unsupported protocol scheme "")"},
      {"http://", R"(Post "http:/f": http: no Host in request URL)"},
      {"http://h:x", R"(parse "http://h:x/f": invalid port ":x" after host)"},
  };
  for (const auto& [prefix, problem] : cases) {
    const auto url = ParseExtenderUrl(prefix, "f");
    ASSERT_FALSE(url.has_value()) << prefix;
    EXPECT_EQ(url.error().message, problem);
  }
}

TEST(ExtenderUrl, NamesTheUserAndHidesThePassword) {
  const auto url = ParseExtenderUrl("http://me:secret@h", "f");
  ASSERT_TRUE(url.has_value());
  ASSERT_TRUE(url->server.user.has_value());
  EXPECT_EQ(url->server.user->password, "secret");
  EXPECT_EQ(PostFailed(url->text, "why"), R"(Post "http://me:***@h/f": why)");
}

}  // namespace
}  // namespace berth::extender
