// SPDX-License-Identifier: Apache-2.0

#include "text/amount.h"
#include "text/duration.h"
#include "text/layout.h"
#include "text/painter.h"
#include "text/table.h"

#include <gtest/gtest.h>

namespace berth::text {
namespace {

TEST(AmountTest, ReadsAsPeopleWrite) {
  const struct {
    std::string_view resource;
    int64_t amount;
    std::string_view text;
    std::string_view exact;
  } cases[] = {
      {"cpu", 500, "500m", "500m"},
      {"cpu", 8000, "8", "8"},
      {"cpu", -1500, "-1500m", "-1500m"},
      {"memory", int64_t{32} << 30, "32Gi", "32Gi"},
      {"memory", int64_t{1536} << 20, "1.5Gi", "1536Mi"},
      {"memory", 1000, "1000", "1000"},
      {"memory", 100'000'000, "95.4Mi", "100000000"},
      {"memory", 0, "0", "0"},
      {"memory", INT64_MIN, "-8Ei", "-8Ei"},
      {"hugepages-2Mi", int64_t{4} << 20, "4Mi", "4Mi"},
      {"ephemeral-storage", 1024, "1Ki", "1Ki"},
      {"nvidia.com/gpu", 2, "2", "2"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(AmountText(test.resource, test.amount), test.text) << test.resource << " " << test.amount;
    EXPECT_EQ(ExactAmount(test.resource, test.amount), test.exact) << test.resource << " " << test.amount;
  }
}

TEST(AmountTest, PercentOfNothing) {
  EXPECT_EQ(PercentText(1, 0), "-");
  EXPECT_EQ(PercentText(1, 3), "33%");
  EXPECT_EQ(PercentText(3, 2), "150%");
}

TEST(PainterTest, ColoursOnlyWhenAsked) {
  EXPECT_EQ(Painter(false)(Tone::Bad, "no"), "no");
  EXPECT_EQ(Painter(true)(Tone::Bad, "no"), "\x1b[31mno\x1b[0m");
  EXPECT_EQ(Painter(true)(Tone::Plain, "no"), "no");
}

TEST(LayoutTest, NamesCannotSteerTheTerminal) {
  EXPECT_EQ(Printable("a\x1b[31mb\n\x7f"), "a?[31mb??");
  EXPECT_EQ(Printable("\xC2\x9B"
                      "31m"),
            "?31m");
  EXPECT_EQ(Printable("größe ▸"), "größe ▸");
}

TEST(LayoutTest, WrapsAtSpaces) {
  EXPECT_EQ(Wrapped("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(Wrapped("unbreakablylong word", 0, 5), "unbreakablylong\nword\n");
  EXPECT_EQ(Wrapped("", 2, 9), "");
}

TEST(TableTest, AlignsByWhatIsSeen) {
  Table table({"NAME", "N"});
  table.AlignRight(1);
  table.Add({{"größe"}, {"1"}});
  table.Add({{"b", Tone::Good}, {"100"}});
  EXPECT_EQ(table.ToText(Painter(false), 1), " NAME     N\n größe    1\n b      100\n");
  EXPECT_NE(table.ToText(Painter(true)).find("\x1b[32mb\x1b[0m      100"), std::string::npos);
}

TEST(LayoutTest, ListsAndCounts) {
  EXPECT_EQ(Listed({"a", "b"}), "a, b");
  EXPECT_EQ(Listed({"a", "b", "c", "d", "e"}), "a, b, c and 2 more");
  EXPECT_EQ(Counted(1, "node"), "1 node");
  EXPECT_EQ(Counted(2, "node"), "2 nodes");
}

TEST(DurationTest, TwoUnitsAtMost) {
  using namespace std::chrono_literals;
  const struct {
    Duration duration;
    std::string_view text;
  } cases[] = {
      {0s, "0s"},      {350ms, "350ms"},     {12s + 345ms, "12.3s"}, {60s, "1m"},
      {150s, "2m30s"}, {3h + 5min, "3h05m"}, {24h, "24h"},           {52h, "2d4h"},
  };
  for (const auto& test : cases) EXPECT_EQ(DurationText(test.duration), test.text);
}

}  // namespace
}  // namespace berth::text
