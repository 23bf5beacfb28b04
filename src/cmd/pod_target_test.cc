// SPDX-License-Identifier: Apache-2.0
#include "cmd/pod_target.h"

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

TEST(PodTargetTest, WordsNameAPod) {
  const struct {
    std::vector<std::string> words;
    std::string key;  // empty when they name no pod
  } cases[] = {
      {{"web"}, "default/web"},
      {{"shop/web"}, "shop/web"},
      {{"pod/web"}, "default/web"},
      {{"po/web"}, "default/web"},
      {{"pods/shop/web"}, "shop/web"},
      {{"pod/shop/web"}, "shop/web"},
      {{"pod/pod/web"}, "pod/web"},
      {{"pod", "web"}, "default/web"},
      {{"pod", "shop/web"}, "shop/web"},
      {{"pod"}, "default/pod"},
      {{"shop/"}, ""},
      {{"/web"}, ""},
      {{""}, ""},
      {{"a/b/c"}, ""},
      {{"pod/a/b/c"}, ""},
      {{"node", "a/b"}, ""},
      {{}, ""},
  };
  for (const auto& test : cases) {
    const Result<std::string> key = PodKeyFrom(test.words);
    EXPECT_EQ(key ? *key : "", test.key) << ::testing::PrintToString(test.words);
  }
}

}  // namespace
}  // namespace berth::cmd
