// SPDX-License-Identifier: Apache-2.0
#include "base/shared_table.h"

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace berth {
namespace {

using Table = SharedTable<std::string>;

std::shared_ptr<const std::string> Find(const Table& table, uint64_t hash, const std::string& text) {
  return table.Find(hash, [&](const std::string& value) { return value == text; });
}

TEST(SharedTable, FindsWhatSomebodyHolds) {
  Table table;
  EXPECT_EQ(Find(table, 1, "a"), nullptr);
  const auto a = table.Add(1, "a");
  const auto b = table.Add(1, "b");  // of an equal hash
  EXPECT_EQ(Find(table, 1, "a"), a);
  EXPECT_EQ(Find(table, 1, "b"), b);
  EXPECT_EQ(Find(table, 1, "c"), nullptr);
  EXPECT_EQ(Find(table, 2, "a"), nullptr);
}

TEST(SharedTable, ForgetsWhatNobodyHolds) {
  Table table;
  auto a = table.Add(1, "a");
  const auto b = table.Add(1, "b");
  auto again = Find(table, 1, "a");
  a.reset();
  EXPECT_EQ(table.size(), 2U);
  again.reset();
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(Find(table, 1, "a"), nullptr);
  EXPECT_EQ(Find(table, 1, "b"), b);
}

TEST(SharedTable, ValuesOutliveTheTable) {
  std::optional<Table> table(std::in_place);
  const auto a = table->Add(1, "a");
  table.reset();
  EXPECT_EQ(*a, "a");
}

TEST(SharedTable, ValuesMayBeLetGoOnAnyThread) {
  Table table;
  std::atomic<bool> done = false;
  std::atomic<std::shared_ptr<const std::string>> passed_on;
  std::jthread other([&] {
    while (!done) passed_on.exchange({});
  });
  for (int i = 0; i < 20'000; ++i) {
    std::shared_ptr<const std::string> value = Find(table, 7, "shared");
    if (value == nullptr) value = table.Add(7, "shared");
    ASSERT_EQ(*value, "shared");
    passed_on.store(std::move(value));
  }
  done = true;
  other.join();
  passed_on.store({});
  EXPECT_EQ(table.size(), 0U);
}

}  // namespace
}  // namespace berth
