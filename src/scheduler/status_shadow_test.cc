// SPDX-License-Identifier: Apache-2.0
#include "scheduler/status_shadow.h"

#include "support/builders.h"

#include <gtest/gtest.h>

namespace berth::scheduler {
namespace {

api::PodPtr PodAt(const std::string& version) {
  api::Pod pod = *test::MakePod("p").Build();
  pod.meta.resource_version = version;
  return std::make_shared<const api::Pod>(std::move(pod));
}

home::PatchPodStatus Nominate(const std::string& node) { return {PodAt("1"), {}, node}; }

std::string NominatedNode(const api::PodPtr& pod) { return pod->status->nominated_node_name; }

TEST(StatusShadow, WhatIsAskedForCountsAtOnce) {
  StatusShadow shadow;
  EXPECT_EQ(NominatedNode(shadow.Over(PodAt("1"))), "");
  shadow.Asked(Nominate("n"), 7);
  EXPECT_EQ(NominatedNode(shadow.Over(PodAt("1"))), "n");
  EXPECT_EQ(NominatedNode(shadow.Over(PodAt("2"))), "n") << "an update that others made meanwhile";
}

TEST(StatusShadow, LastsUntilTheWrittenStateIsTold) {
  StatusShadow shadow;
  shadow.Asked(Nominate("n"), 7);
  const std::string uid = PodAt("1")->meta.uid;
  shadow.Written(uid, 7, "10");
  EXPECT_EQ(NominatedNode(shadow.Over(PodAt("9"))), "n") << "what is told is older than what was written";
  EXPECT_EQ(NominatedNode(shadow.Over(PodAt("10"))), "") << "from here on the home is right";
  EXPECT_EQ(shadow.size(), 0U);
}

TEST(StatusShadow, GoesWhenThePatchIsNotWritten) {
  StatusShadow shadow;
  const std::string uid = PodAt("1")->meta.uid;
  shadow.Asked(Nominate("n"), 7);
  shadow.Asked(Nominate("m"), 8);
  shadow.NotWritten(uid, 7);
  EXPECT_EQ(NominatedNode(shadow.Over(PodAt("1"))), "m") << "a later patch is still to come";
  shadow.NotWritten(uid, 8);
  EXPECT_EQ(NominatedNode(shadow.Over(PodAt("1"))), "");
}

TEST(StatusShadow, WhatWasNotWrittenIsToBeAskedForAgain) {
  StatusShadow shadow;
  const std::string uid = PodAt("1")->meta.uid;
  shadow.Asked(Nominate("n"), 7);
  EXPECT_EQ(shadow.Pending(uid), 7U);
  EXPECT_FALSE(shadow.IsLost(uid));
  shadow.NotWritten(uid, 7);
  EXPECT_TRUE(shadow.IsLost(uid));
  EXPECT_EQ(shadow.Pending(uid), home::kNoTicket);
  shadow.Asked(Nominate("m"), 8);
  EXPECT_FALSE(shadow.IsLost(uid));
  EXPECT_EQ(NominatedNode(shadow.Over(PodAt("1"))), "m");
}

TEST(StatusShadow, AConditionReplacesTheOneOfItsType) {
  StatusShadow shadow;
  shadow.Asked({PodAt("1"), home::ConditionPatch{{"PodScheduled", "False", "Unschedulable", "no room"}, 0}, {}}, 7);
  const api::PodPtr pod = shadow.Over(PodAt("1"));
  ASSERT_NE(pod->FindCondition("PodScheduled"), nullptr);
  EXPECT_EQ(pod->FindCondition("PodScheduled")->message, "no room");
}

}  // namespace
}  // namespace berth::scheduler
