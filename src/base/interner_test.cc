// SPDX-License-Identifier: Apache-2.0
#include "base/interner.h"

#include <string>

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Interner, EqualTextsShareANumber) {
  Interner interner;
  const auto zone = interner.Intern("zone");
  EXPECT_EQ(interner.Intern(std::string("zo") + "ne"), zone);
  EXPECT_NE(interner.Intern("rack"), zone);
  EXPECT_EQ(interner.Text(zone), "zone");
  EXPECT_FALSE(interner.Find("host").has_value());
}

TEST(Interner, CopiesStandAlone) {
  Interner copy;
  {
    Interner original;
    for (int i = 0; i < 1000; ++i) original.Intern("label-" + std::to_string(i));
    copy = original;
  }
  EXPECT_EQ(copy.size(), 1000U);
  EXPECT_EQ(copy.Find("label-999"), 999U);
}

}  // namespace
}  // namespace berth
