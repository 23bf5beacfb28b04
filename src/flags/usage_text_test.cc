// SPDX-License-Identifier: Apache-2.0
#include "flags/usage_text.h"

#include <gtest/gtest.h>

namespace berth::flags {
namespace {

class UsageTextTest : public ::testing::Test {
 protected:
  UsageTextTest() {
    flags_.Add("misc", "config", StringValue(config_), "The `path` of a file.");
    flags_.Add("misc", "lock", StringValue(lock_), "The lock.\nIt has two lines.");
    flags_.Add("global", "help", BoolValue(help_), "help for all").shorthand = 'h';
    flags_.Add("global", "names", StringsValue(names_), "Some names.");
    flags_.Add("global", "curves", Int32sValue(curves_), "Some numbers.");
    flags_.Add("global", "period", DurationValue(period_), "How often.");
  }

  std::string config_;
  std::string lock_ = "leases";
  bool help_ = false;
  std::vector<std::string> names_;
  std::vector<int32_t> curves_;
  Duration period_ = std::chrono::seconds(2);
  FlagSet flags_;
};

TEST_F(UsageTextTest, WithoutATerminalTextsStandRightOfTheNames) {
  EXPECT_EQ(UsageText(flags_, 0),
            "\nMisc flags:\n\n"
            "      --config path   The path of a file.\n"
            "      --lock string   The lock.\n"
            "                      It has two lines. (default \"leases\")\n"
            "\nGlobal flags:\n\n"
            "      --curves int32Slice   Some numbers. (default [])\n"
            "  -h, --help                help for all\n"
            "      --names strings       Some names.\n"
            "      --period duration     How often. (default 2s)\n");
}

TEST_F(UsageTextTest, OnATerminalTextsAreWrappedBelowTheNames) {
  std::string text;
  FlagSet flags;
  flags.Add("misc", "words", StringValue(text), "one two three four five six seven eight nine ten eleven twelve\nend");
  EXPECT_EQ(UsageText(flags, 48),
            "\nMisc flags:\n\n"
            "      --words string\n"
            "                one two three four five\n"
            "                six seven eight nine ten\n"
            "                eleven twelve\n"
            "                end\n");
}

}  // namespace
}  // namespace berth::flags
