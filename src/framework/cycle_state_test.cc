// SPDX-License-Identifier: Apache-2.0
#include "framework/cycle_state.h"

#include <string>
#include <vector>

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

struct Names : CloneableState<Names> {
  std::vector<std::string> names;
  void Clear() { names.clear(); }
};
constexpr StateKey<Names> kNames{"Test/Names"};

TEST(CycleState, KeepsWhatCanBeClearedForTheNextCycle) {
  CycleState state;
  Names& first = state.Write(kNames);
  first.names.resize(100);
  state.Reset();
  EXPECT_EQ(state.Read(kNames), nullptr);
  EXPECT_EQ(state.Mutable(kNames), nullptr);
  Names& second = state.Write(kNames);
  EXPECT_EQ(&second, &first);
  EXPECT_TRUE(second.names.empty());
  EXPECT_GE(second.names.capacity(), 100U);
  EXPECT_EQ(state.Read(kNames), &second);
}

struct Judged : CloneableState<Judged> {
  static constexpr bool kEndsWithDecision = true;
  std::vector<std::string> names;
  void Clear() { names.clear(); }
};
constexpr StateKey<Judged> kJudged{"Test/Judged"};

TEST(CycleState, WhatEndsWithTheDecisionLeavesItsMemoryToTheNextCycle) {
  CycleState decided;
  decided.Write(kJudged).names.resize(100);
  decided.Write(kFirst).count = 1;
  CycleState next;
  decided.EndDecision(next);
  EXPECT_EQ(decided.Read(kJudged), nullptr);
  EXPECT_EQ(decided.Read(kFirst)->count, 1);
  EXPECT_EQ(next.Read(kJudged), nullptr);
  EXPECT_GE(next.Write(kJudged).names.capacity(), 100U);
  EXPECT_TRUE(next.Read(kJudged)->names.empty());
}

TEST(CycleState, MakesEverythingElseAnew) {
  CycleState state;
  state.Write(kFirst).count = 4;
  state.Reset();
  EXPECT_EQ(state.Read(kFirst), nullptr);
  EXPECT_EQ(state.Write(kFirst).count, 0);
  state.Write(kFirst).count = 5;
  EXPECT_EQ(state.Write(kFirst).count, 0);
}

TEST(CycleState, WhatIsWrittenTwiceInACycleStartsEmpty) {
  CycleState state;
  state.Write(kNames).names = {"a"};
  EXPECT_TRUE(state.Write(kNames).names.empty());
}

TEST(CycleState, WhatWasTakenBackIsNotThere) {
  CycleState state;
  state.Write(kNames).names = {"a"};
  state.Write(kFirst).count = 1;
  state.Remove(kNames);
  state.Remove(kFirst);
  state.Remove(kSecond);
  EXPECT_EQ(state.Read(kNames), nullptr);
  EXPECT_EQ(state.Read(kFirst), nullptr);
}

TEST(CycleState, ClonesOnlyWhatThisCycleWrote) {
  CycleState state;
  state.Write(kNames).names = {"a"};
  state.Reset();
  state.Write(kFirst).count = 1;
  const CycleState clone = state.Clone();
  EXPECT_EQ(clone.Read(kNames), nullptr);
  EXPECT_EQ(clone.Read(kFirst)->count, 1);
}

}  // namespace
}  // namespace berth::framework
