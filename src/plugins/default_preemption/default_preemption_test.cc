// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/default_preemption.h"

#include "support/builders.h"
#include "support/test_bed.h"

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using framework::Code;
using framework::PostFilterResult;
using test::MakeNode;
using test::MakePod;

using Lines = std::vector<std::string>;

// Full nodes of 2 cpus, and what PostFilter makes of a pod that asks for 2.
class DefaultPreemptionTest : public testing::Test {
 protected:
  DefaultPreemptionTest() : bed_(test::DefaultTestBed()) {}

  void Node(std::string_view name, std::string_view victim, int32_t priority) {
    bed_->Add(MakeNode(name).Allocatable("cpu", "2").Build());
    bed_->Add(MakePod(victim).Node(name).Request("cpu", "2").Priority(priority).Started(0).Build());
  }
  static test::PodBuilder Incoming() { return MakePod("incoming").Request("cpu", "2").Priority(10); }

  PostFilterResult PostFilter(const test::PodBuilder& incoming) {
    const framework::PodInfoPtr pod = incoming.Info(bed_->names);
    runtime::Cycle cycle;
    cycle.Reset();
    EXPECT_TRUE(bed_->profile().filtering().RunPreFilter(cycle, *pod).ok());
    EXPECT_TRUE(bed_->profile().filtering().RunFilter(cycle, *pod).ok());
    EXPECT_TRUE(cycle.feasible.empty());
    const framework::PluginInstance* plugin = bed_->profile().plugins().Find(kDefaultPreemption);
    return plugin->post_filter->PostFilter(cycle.state, *pod, bed_->cluster, cycle.verdicts);
  }

  std::unique_ptr<test::TestBed> bed_;
};

TEST_F(DefaultPreemptionTest, EvictsWhereItHurtsLeast) {
  Node("n0", "high", 9);
  Node("n1", "low", 1);
  Node("n2", "mid", 5);
  const PostFilterResult result = PostFilter(Incoming());
  EXPECT_TRUE(result.status.ok());
  EXPECT_EQ(result.mode, PostFilterResult::Mode::Override);
  EXPECT_EQ(result.nominated_node, "n1");
  EXPECT_EQ(bed_->roles.preemptions, (Lines{"default/incoming on n1: default/low, by DefaultPreemption"}));
  EXPECT_EQ(bed_->roles.attempts, 1U);
}

TEST_F(DefaultPreemptionTest, NodesThatRejectForGoodAreNotTried) {
  Node("n0", "low", 1);
  bed_->Add(MakeNode("n0").Allocatable("cpu", "2").Taint("dedicated", "", api::TaintEffect::NoSchedule).Build());
  Node("n1", "mid", 5);
  EXPECT_EQ(PostFilter(Incoming()).nominated_node, "n1");
}

TEST_F(DefaultPreemptionTest, WithoutCandidatesAPromiseIsTakenBack) {
  Node("n0", "equal", 10);
  bed_->Add(MakeNode("small").Allocatable("cpu", "1").Build());
  const PostFilterResult result = PostFilter(Incoming());
  EXPECT_EQ(result.status.code(), Code::Unschedulable);
  EXPECT_EQ(result.status.Message(),
            "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not "
            "helpful for scheduling.");
  EXPECT_EQ(result.mode, PostFilterResult::Mode::Override);
  EXPECT_EQ(result.nominated_node, "");
  EXPECT_TRUE(bed_->roles.preemptions.empty());
  EXPECT_EQ(bed_->roles.attempts, 1U) << "an attempt without success counts, too";
}

TEST_F(DefaultPreemptionTest, PodsMayForbidItThemselves) {
  Node("n0", "low", 1);
  const PostFilterResult result = PostFilter(Incoming().PreemptNever());
  EXPECT_EQ(result.status.code(), Code::Unschedulable);
  EXPECT_EQ(result.status.Message(), "preemption: not eligible due to preemptionPolicy=Never.");
  EXPECT_EQ(result.mode, PostFilterResult::Mode::NoOp);
}

TEST_F(DefaultPreemptionTest, VictimsThatAreStillLeavingAreWaitedFor) {
  Node("n0", "mid", 5);
  bed_->Add(MakeNode("n1").Allocatable("cpu", "2").Build());
  const auto leaving = [&](int32_t priority) {
    return MakePod("leaving")
        .Node("n1")
        .Request("cpu", "2")
        .Priority(priority)
        .Terminating()
        .Condition("DisruptionTarget", "True", "PreemptionByScheduler");
  };
  bed_->Add(leaving(1).Build());
  EXPECT_EQ(PostFilter(Incoming().Nominated("n1")).status.Message(),
            "preemption: not eligible due to a terminating pod on the nominated node.");
  // Not when the promise was another, the victim is as important, or leaves for another reason.
  EXPECT_EQ(PostFilter(Incoming().Nominated("n0")).nominated_node, "n1");
  bed_->Add(leaving(10).Build());
  EXPECT_EQ(PostFilter(Incoming().Nominated("n1")).nominated_node, "n0");
  bed_->Add(MakePod("leaving").Node("n1").Request("cpu", "2").Priority(1).Terminating().Build());
  EXPECT_TRUE(PostFilter(Incoming().Nominated("n1")).status.ok());
}

TEST_F(DefaultPreemptionTest, APromiseThatCannotBeKeptDoesNotHoldThePodBack) {
  Node("n0", "mid", 5);
  bed_->Add(MakeNode("n1").Allocatable("cpu", "1").Build());
  bed_->Add(MakePod("leaving")
                .Node("n1")
                .Priority(1)
                .Terminating()
                .Condition("DisruptionTarget", "True", "PreemptionByScheduler")
                .Build());
  EXPECT_EQ(PostFilter(Incoming().Nominated("n1")).nominated_node, "n0") << "n1 can never hold it";
  EXPECT_EQ(PostFilter(Incoming().Nominated("gone")).nominated_node, "n0");
}

TEST_F(DefaultPreemptionTest, APodWhosePreemptionIsUnderWayIsNotQueued) {
  const framework::PluginInstance* plugin = bed_->profile().plugins().Find(kDefaultPreemption);
  const api::PodPtr pod = Incoming().Build();
  EXPECT_TRUE(plugin->pre_enqueue->PreEnqueue(*pod).ok());
  bed_->roles.preempting = pod->meta.uid;
  EXPECT_EQ(plugin->pre_enqueue->PreEnqueue(*pod).Message(), "waiting for the preemption for this pod to be finished");
}

}  // namespace
}  // namespace berth::plugins
