// SPDX-License-Identifier: Apache-2.0
#include "features/diagnosis.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace berth::features {
namespace {

std::vector<GateDiagnosis> Found(const std::map<std::string, bool>& values, Version emulated = kOwnVersion) {
  return Diagnose(FeatureGates::FromMap(values, emulated).value());
}

TEST(DiagnosisTest, DefaultsNeedNoWords) { EXPECT_TRUE(Found({}).empty()); }

TEST(DiagnosisTest, AGateThatStandsForSomethingMissingIsRefused) {
  const auto found = Found({{"GenericWorkload", true}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].refused);
  EXPECT_EQ(
      found[0].text,
      "feature gate GenericWorkload=true has no effect (it stands for: pod groups are scheduled in cycles of their "
      "own): pods of a group are placed one by one: groups are not scheduled as a whole yet; leave the gate out");
}

TEST(DiagnosisTest, AGateThatSaysItsDefaultAloudIsOnlyWarnedAbout) {
  const auto found = Found({{"OpportunisticBatching", true}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].refused);
}

TEST(DiagnosisTest, AGateThatSaysWhatBerthDoesNeedsNoWords) {
  EXPECT_TRUE(Found({{"OpportunisticBatching", false}, {"SchedulerAsyncAPICalls", true}}).empty());
  EXPECT_TRUE(Found({{"SchedulerAsyncPreemption", false}, {"NominatedNodeNameForExpectation", false}}).empty());
}

TEST(DiagnosisTest, WhatAllAlphaTurnsOnInVainIsNamed) {
  const auto found = Found({{"AllAlpha", true}});
  ASSERT_FALSE(found.empty());
  for (const GateDiagnosis& diagnosis : found) {
    EXPECT_FALSE(diagnosis.refused);
    EXPECT_TRUE(diagnosis.text.starts_with("AllAlpha=true turns feature gate ")) << diagnosis.text;
  }
}

TEST(DiagnosisTest, WhatAnEmulatedReleaseLacksAndBerthHasIsNamed) {
  const auto found = Found({}, {1, 33});
  const auto told = std::ranges::find(found, Gate::VolumeAttributesClass, &GateDiagnosis::gate);
  ASSERT_NE(told, found.end());
  EXPECT_TRUE(told->text.starts_with(
      "emulating version 1.33 turns feature gate VolumeAttributesClass off, which has no effect"))
      << told->text;
}

}  // namespace
}  // namespace berth::features
