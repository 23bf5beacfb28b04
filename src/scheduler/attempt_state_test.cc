// SPDX-License-Identifier: Apache-2.0
#include "scheduler/attempt_state.h"

#include <gtest/gtest.h>

namespace berth::scheduler {
namespace {

TEST(AttemptState, GoesFromTheDecisionToTheNode) {
  AttemptState state;
  for (const Step step : {Step::Wait, Step::Prepare, Step::Write, Step::Lose, Step::Resume, Step::Confirm}) {
    ASSERT_TRUE(state.Allows(step)) << StageName(state.stage());
    state.Take(step);
  }
  EXPECT_EQ(state.stage(), Stage::Confirmed);
  for (const Step step :
       {Step::Wait, Step::Prepare, Step::Cancel, Step::Write, Step::Lose, Step::Resume, Step::Confirm, Step::Fail}) {
    EXPECT_FALSE(state.Allows(step)) << "nothing follows";
  }
}

TEST(AttemptState, EveryStageButTheLastTwoCanFail) {
  for (const std::initializer_list<Step>& way : {std::initializer_list<Step>{},
                                                 {Step::Wait},
                                                 {Step::Prepare, Step::Cancel},
                                                 {Step::Write},
                                                 {Step::Write, Step::Lose, Step::Resume}}) {
    AttemptState state;
    for (const Step step : way) state.Take(step);
    ASSERT_TRUE(state.Allows(Step::Fail)) << StageName(state.stage());
    state.Take(Step::Fail);
    EXPECT_EQ(state.stage(), Stage::Failed);
  }
}

TEST(AttemptState, PreBindIsTheOnlyStageThatCanBeCancelled) {
  AttemptState state;
  EXPECT_FALSE(state.Allows(Step::Cancel));
  state.Take(Step::Prepare);
  EXPECT_TRUE(state.Allows(Step::Cancel));
  EXPECT_FALSE(state.Allows(Step::Fail)) << "work that runs elsewhere is waited for";
  state.Take(Step::Write);
  EXPECT_FALSE(state.Allows(Step::Cancel));
}

TEST(AttemptStateDeathTest, AnIllegalStepEndsTheProgram) {
  AttemptState state;
  EXPECT_DEATH(state.Take(Step::Confirm), "check failed");
}

TEST(AttemptState, WhatIsToldMovesTheStandingOnce) {
  AttemptState state;
  EXPECT_TRUE(state.Hear(Told::Terminating));
  EXPECT_EQ(state.standing(), Standing::Freed);
  EXPECT_FALSE(state.Hear(Told::Terminating));
  EXPECT_TRUE(state.Hear(Told::Assigned)) << "a binding may come through all the same";
  EXPECT_FALSE(state.Hear(Told::Terminating)) << "it is counted on its node until it is gone";
  EXPECT_TRUE(state.Hear(Told::Deleted));
  EXPECT_FALSE(state.Hear(Told::Assigned)) << "an old state";
  EXPECT_TRUE(state.Hear(Told::Replaced));
  EXPECT_EQ(state.standing(), Standing::Replaced);
}

}  // namespace
}  // namespace berth::scheduler
