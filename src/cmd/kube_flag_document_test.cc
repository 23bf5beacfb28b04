// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_flag_effects.h"
#include "cmd/kube_flags.h"

#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

TEST(KubeFlagDocumentTest, EveryFlagHasAnEffect) {
  std::vector<std::string> flags;
  for (const KubeFlagEffect& effect : KubeFlagEffects()) {
    flags.emplace_back(effect.flag);
    EXPECT_TRUE(effect.effect == FlagEffect::Honoured || !effect.remark.empty()) << effect.flag;
  }
  EXPECT_EQ(flags, KubeFlagNames());
}

// When this fails, put the expected text between the two markers in docs/kube-scheduler-flags.md.
TEST(KubeFlagDocumentTest, TheDocumentHoldsTheTable) {
  std::string table = "| flag | Berth | remark |\n|---|---|---|\n";
  for (const KubeFlagEffect& effect : KubeFlagEffects()) {
    table += fmt::format("| `--{}` | {} | {} |\n", effect.flag, FlagEffectName(effect.effect), effect.remark);
  }
  std::ifstream file(BERTH_SOURCE_DIR "/docs/kube-scheduler-flags.md");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string document = text.str();
  const std::string begin = "<!-- table -->\n";
  const size_t from = document.find(begin);
  const size_t to = document.find("<!-- end of table -->");
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  EXPECT_EQ(document.substr(from + begin.size(), to - from - begin.size()), table);
}

}  // namespace
}  // namespace berth::cmd
