// SPDX-License-Identifier: Apache-2.0
#include "framework/cycle_state.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

struct Counter : CloneableState<Counter> {
  int count = 0;
};
constexpr StateKey<Counter> kFirst{"Test/First"};
constexpr StateKey<Counter> kSecond{"Test/Second"};

TEST(CycleState, ReadsWhatWasWritten) {
  CycleState state;
  EXPECT_EQ(state.Read(kFirst), nullptr);
  EXPECT_EQ(state.Mutable(kFirst), nullptr);
  state.Write(kFirst, std::make_unique<Counter>()).count = 1;
  state.Write(kSecond, std::make_unique<Counter>()).count = 2;
  EXPECT_EQ(state.Read(kFirst)->count, 1);
  EXPECT_EQ(state.Read(kSecond)->count, 2);
}

TEST(CycleState, WritingAgainReplaces) {
  CycleState state;
  state.Write(kFirst, std::make_unique<Counter>()).count = 1;
  state.Write(kFirst, std::make_unique<Counter>()).count = 5;
  EXPECT_EQ(state.Read(kFirst)->count, 5);
}

TEST(CycleState, ClonesGoTheirOwnWay) {
  CycleState state;
  state.Write(kFirst, std::make_unique<Counter>()).count = 1;
  CycleState clone = state.Clone();
  clone.Mutable(kFirst)->count = 7;
  clone.Write(kSecond, std::make_unique<Counter>());
  EXPECT_EQ(state.Read(kFirst)->count, 1);
  EXPECT_EQ(state.Read(kSecond), nullptr);
  state.Mutable(kFirst)->count = 3;
  EXPECT_EQ(clone.Read(kFirst)->count, 7);
}

}  // namespace
}  // namespace berth::framework
