// SPDX-License-Identifier: Apache-2.0
#include "base/recency_list.h"
#include "base/shared_value.h"
#include "base/short_array.h"

#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(ShortArray, HoldsFewAndMany) {
  for (const size_t size : {size_t{0}, size_t{3}, size_t{4}, size_t{5}, size_t{100}}) {
    ShortArray<int, 4> array(size, 7);
    EXPECT_EQ(array.size(), size);
    EXPECT_EQ(std::accumulate(array.begin(), array.end(), 0), 7 * static_cast<int>(size));
    if (size == 0) continue;
    array[size - 1] = 1;
    const std::span<const int> view(array);
    EXPECT_EQ(view.size(), size);
    EXPECT_EQ(view.back(), 1);
  }
}

TEST(ShortArray, LiesInItselfWhenShort) {
  const ShortArray<int, 4> few(4);
  const ShortArray<int, 4> many(5);
  const auto is_inside = [](const auto& array) {
    const auto* at = reinterpret_cast<const char*>(array.data());
    const auto* self = reinterpret_cast<const char*>(&array);
    return at >= self && at < self + sizeof(array);
  };
  EXPECT_TRUE(is_inside(few));
  EXPECT_FALSE(is_inside(many));
}

TEST(SharedValue, IsFilledAgainWhenNobodyElseReadsIt) {
  SharedValue<std::vector<int>> value;
  value.Renew().assign(10, 1);
  const std::vector<int>* before = &*value;
  EXPECT_EQ(&value.Renew(), before);
  EXPECT_EQ(value->size(), 10U);
}

TEST(SharedValue, LeavesCopiesAlone) {
  SharedValue<std::vector<int>> value;
  value.Renew().assign(10, 1);
  const SharedValue<std::vector<int>> copy = value;
  EXPECT_EQ(&*copy, &*value);
  value.Renew().assign(3, 2);
  EXPECT_EQ(copy->size(), 10U);
  EXPECT_EQ(value->size(), 3U);
}

TEST(RecencyList, KeepsNumbersInTheOrderOfTheirLastUse) {
  RecencyList list;
  std::vector<RecencyList::Number> expected;  // oldest first
  std::mt19937 random(7);
  for (int step = 0; step < 2'000; ++step) {
    const auto number = static_cast<RecencyList::Number>(random() % 12);
    std::erase(expected, number);
    if (random() % 3 == 0) {
      list.Erase(number);
    } else {
      list.Use(number);
      expected.push_back(number);
    }
    ASSERT_EQ(list.empty(), expected.empty());
    if (!expected.empty()) {
      ASSERT_EQ(list.oldest(), expected.front());
    }
  }
  while (!list.empty()) {
    ASSERT_EQ(list.oldest(), expected.front());
    list.Erase(expected.front());
    expected.erase(expected.begin());
  }
  EXPECT_TRUE(expected.empty());
}

}  // namespace
}  // namespace berth
