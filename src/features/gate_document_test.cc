// SPDX-License-Identifier: Apache-2.0
#include "features/known_gates.h"
#include "features/scheduling_gates.h"

#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::features {
namespace {

std::string Default(const GateSpec& spec) {
  return fmt::format("{}, {}{}", StageName(spec.stage), spec.on ? "on" : "off", spec.locked ? ", locked" : "");
}

std::string Row(const SchedulingGate& gate) {
  std::string cells = fmt::format("| {} |", gate.name);
  for (uint64_t minor = kOldestEmulated.minor; minor <= kOwnVersion.minor; ++minor) {
    const GateSpec spec = SpecAt(SpecsOf(gate.name), {1, minor});
    cells += spec.stage == Stage::PreAlpha ? " – |" : fmt::format(" {} |", Default(spec));
  }
  return fmt::format("{} {} | {} | {} |\n", cells, gate.effect, SupportName(gate.support), gate.reason);
}

// When this fails, put the expected text between the two markers in docs/feature-gates.md.
TEST(GateDocumentTest, TheDocumentHoldsTheTable) {
  std::string table =
      "| gate | 1.33 | 1.34 | 1.35 | 1.36 | what it turns on | Berth | why |\n|---|---|---|---|---|---|---|---|\n";
  for (const SchedulingGate& gate : SchedulingGates()) table += Row(gate);

  std::ifstream file(BERTH_SOURCE_DIR "/docs/feature-gates.md");
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
}  // namespace berth::features
