// SPDX-License-Identifier: Apache-2.0
#include "config/fields/go_duration.h"

#include <limits>

#include <gtest/gtest.h>

namespace berth::config {
namespace {

using namespace std::chrono_literals;

TEST(GoDuration, Parses) {
  struct Case {
    const char* text;
    Duration want;
  };
  const Case cases[] = {{"0", 0s},
                        {"15s", 15s},
                        {"1h2m3.5s", 1h + 2min + 3500ms},
                        {"0.25h", 15min},
                        {"60000ms", 1min},
                        {"-1.5s", -1500ms},
                        {"+3us", 3us},
                        {"3\u00b5s", 3us},
                        {".5s", 500ms},
                        {"1.s", 1s},
                        {"9223372036854775807ns", Duration::max()},
                        {"-9223372036854775808ns", Duration::min()}};
  for (const Case& c : cases) EXPECT_EQ(ParseGoDuration(c.text), c.want) << c.text;
}

TEST(GoDuration, RefusesWhatGoRefuses) {
  for (const char* text : {"", "-", "15", "s", ".s", "1 s", "1d", "1s ", "9223372036854775808ns", "99999999999h",
                           "999999999999999999999999999999999999999s"}) {
    EXPECT_FALSE(ParseGoDuration(text)) << text;
  }
}

TEST(GoDuration, FormatsAsGoDoes) {
  struct Case {
    Duration duration;
    const char* want;
  };
  const Case cases[] = {{0s, "0s"},           {15s, "15s"},
                        {1500us, "1.5ms"},    {62500ms, "1m2.5s"},
                        {1h, "1h0m0s"},       {-10s, "-10s"},
                        {Duration(7), "7ns"}, {400ms, "400ms"},
                        {90us, "90\u00b5s"},  {Duration::min(), "-2562047h47m16.854775808s"}};
  for (const Case& c : cases) {
    EXPECT_EQ(FormatGoDuration(c.duration), c.want);
    EXPECT_EQ(ParseGoDuration(c.want), c.duration);
  }
}

}  // namespace
}  // namespace berth::config
