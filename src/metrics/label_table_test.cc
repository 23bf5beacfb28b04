// SPDX-License-Identifier: Apache-2.0
#include "metrics/label_table.h"

#include "metrics/cells.h"

#include <array>
#include <barrier>
#include <thread>

#include <gtest/gtest.h>

namespace berth::metrics {
namespace {

const Counter::Shape kShape;

Counter& Get(LabelTable<Counter>& table, std::string_view a, std::string_view b) { return table.Get(std::array{a, b}); }

TEST(LabelTable, FindsACellByTheContentOfItsLabels) {
  LabelTable<Counter> table(kShape);
  Counter& cell = Get(table, "Filter", "default-scheduler");
  const std::string point = "Filter";  // elsewhere in memory
  const std::string profile = "default-scheduler";
  EXPECT_EQ(&Get(table, point, profile), &cell);
}

TEST(LabelTable, TellsLabelsApartThatLookAlike) {
  LabelTable<Counter> table(kShape);
  const std::vector<std::array<std::string_view, 2>> sets = {
      {"", ""},
      {"a", ""},
      {"", "a"},
      {"ab", "c"},
      {"a", "bc"},
      {"Reserve", "x"},
      {"PreFilter", "x"},
      // Of one length, with equal ends: only the comparison in full can tell.
      {"scheduler-one-of-the-profiles", "x"},
      {"scheduler-two-of-the-profiles", "x"},
  };
  for (size_t i = 0; i < sets.size(); ++i) table.Get(sets[i]).Increment(i + 1);
  for (size_t i = 0; i < sets.size(); ++i) EXPECT_EQ(table.Get(sets[i]).value(), i + 1) << i;
}

TEST(LabelTable, CellsStayWhereTheyAreWhenItGrows) {
  LabelTable<Counter> table(kShape);
  std::vector<Counter*> cells;
  for (int i = 0; i < 1000; ++i) cells.push_back(&Get(table, "event", std::to_string(i)));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(&Get(table, "event", std::to_string(i)), cells[static_cast<size_t>(i)]) << i;
  }
}

TEST(LabelTable, VisitsCellsInTheOrderInWhichTheyCame) {
  LabelTable<Counter> table(kShape);
  for (int i = 0; i < 100; ++i) Get(table, "event", std::to_string(i)).Increment(static_cast<uint64_t>(i));
  int next = 0;
  table.ForEach([&](const std::vector<std::string>& values, const Counter& counter) {
    EXPECT_EQ(values, (std::vector<std::string>{"event", std::to_string(next)}));
    EXPECT_EQ(counter.value(), static_cast<uint64_t>(next));
    ++next;
  });
  EXPECT_EQ(next, 100);
}

TEST(LabelTable, ThreadsThatMeetNewLabelsAtOnceCountIntoOneCell) {
  constexpr int kThreads = 4;
  constexpr int kLabels = 300;
  LabelTable<Counter> table(kShape);
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      for (int i = 0; i < kLabels; ++i) Get(table, "event", std::to_string(i)).Increment();
    });
  }
  for (std::thread& thread : threads) thread.join();
  int cells = 0;
  table.ForEach([&](const std::vector<std::string>& values, const Counter& counter) {
    EXPECT_EQ(counter.value(), static_cast<uint64_t>(kThreads)) << values[1];
    ++cells;
  });
  EXPECT_EQ(cells, kLabels);
}

}  // namespace
}  // namespace berth::metrics
