// SPDX-License-Identifier: Apache-2.0
#include "net/request_target.h"

#include <gtest/gtest.h>

namespace berth::net {
namespace {

TEST(ParseTarget, TakesPathAndQueryApart) {
  struct Case {
    std::string target;
    std::string path;
    std::string query;
  };
  const std::vector<Case> cases = {
      {"/", "/", ""},
      {"/healthz", "/healthz", ""},
      {"/healthz?verbose", "/healthz", "verbose"},
      {"/a%2Fb%20c?d=%20", "/a/b c", "d=%20"},
      {"//double/../dots", "//double/../dots", ""},
      {"https://host:1/x?y", "/x", "y"},
      {"https://host", "", ""},
      {"*", "*", ""},
  };
  for (const Case& each : cases) {
    const auto parsed = ParseTarget(each.target);
    ASSERT_TRUE(parsed.has_value()) << each.target;
    EXPECT_EQ(parsed->path, each.path) << each.target;
    EXPECT_EQ(parsed->query, each.query) << each.target;
  }
}

TEST(ParseTarget, RefusesWhatIsNone) {
  for (const std::string target : {"", "healthz", "/%", "/%1", "/%zz", "/\x01", "/a\x7f", "://x", "a/b://c"}) {
    EXPECT_FALSE(ParseTarget(target).has_value()) << target;
  }
}

TEST(QueryParameters, AreDecodedInOrder) {
  using Parameters = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(QueryParameters(""), Parameters{});
  EXPECT_EQ(QueryParameters("verbose"), (Parameters{{"verbose", ""}}));
  EXPECT_EQ(QueryParameters("exclude=a&exclude=b+c%2B&&x=1=2"),
            (Parameters{{"exclude", "a"}, {"exclude", "b c+"}, {"x", "1=2"}}));
  EXPECT_EQ(QueryParameters("a;b=1&c=%zz&d=2"), (Parameters{{"d", "2"}}));
}

}  // namespace
}  // namespace berth::net
