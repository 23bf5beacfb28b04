// SPDX-License-Identifier: Apache-2.0
#include "base/bitset.h"

#include <vector>

#include <gtest/gtest.h>

namespace berth {
namespace {

std::vector<size_t> Members(const Bitset& set) {
  std::vector<size_t> members;
  set.ForEach([&](size_t i) { members.push_back(i); });
  return members;
}

TEST(Bitset, GrowsWithTheAskedValue) {
  Bitset set(3, true);
  set.Resize(70, false);
  EXPECT_EQ(set.Count(), 3U);
  set.Resize(130, true);
  EXPECT_EQ(set.Count(), 63U);
  EXPECT_FALSE(set.Test(69));
  EXPECT_TRUE(set.Test(70));
}

TEST(Bitset, ShrinkingForgetsTheTail) {
  Bitset set(100, true);
  set.Resize(10);
  set.Resize(100);
  EXPECT_EQ(set.Count(), 10U);
}

TEST(Bitset, SetAllKeepsTheTailClear) {
  Bitset set(65);
  set.SetAll();
  EXPECT_EQ(set.Count(), 65U);
}

TEST(Bitset, CombinesWordWise) {
  Bitset a(80);
  Bitset b(80);
  for (const size_t i : {1U, 64U, 79U}) a.Set(i);
  for (const size_t i : {1U, 79U}) b.Set(i);
  Bitset both = a;
  both.And(b);
  EXPECT_EQ(Members(both), (std::vector<size_t>{1, 79}));
  Bitset only_a = a;
  only_a.AndNot(b);
  EXPECT_EQ(Members(only_a), (std::vector<size_t>{64}));
  only_a.Or(b);
  EXPECT_EQ(only_a, a);
}

}  // namespace
}  // namespace berth
