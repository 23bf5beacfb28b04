// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/default_preemption.h"

#include "support/builders.h"
#include "support/world.h"

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
  DefaultPreemptionTest() : world_(test::DefaultWorld()) {}

  void Node(std::string_view name, std::string_view victim, int32_t priority) {
    world_->Add(MakeNode(name).Allocatable("cpu", "2").Build());
    world_->Add(MakePod(victim).Node(name).Request("cpu", "2").Priority(priority).Started(0).Build());
  }
  static test::PodBuilder Incoming() { return MakePod("incoming").Request("cpu", "2").Priority(10); }

  PostFilterResult PostFilter(const test::PodBuilder& incoming) {
    const framework::PodInfoPtr pod = incoming.Info(world_->names);
    runtime::Cycle cycle;
    cycle.Reset();
    EXPECT_TRUE(world_->profile().RunPreFilter(cycle, *pod).ok());
    EXPECT_TRUE(world_->profile().RunFilter(cycle, *pod).ok());
    EXPECT_TRUE(cycle.feasible.empty());
    const framework::PluginInstance* plugin = world_->profile().FindPlugin(kDefaultPreemption);
    return plugin->post_filter->PostFilter(cycle.state, *pod, world_->cluster, cycle.verdicts);
  }

  std::unique_ptr<test::World> world_;
};

TEST_F(DefaultPreemptionTest, EvictsWhereItHurtsLeast) {
  Node("n0", "high", 9);
  Node("n1", "low", 1);
  Node("n2", "mid", 5);
  const PostFilterResult result = PostFilter(Incoming());
  EXPECT_TRUE(result.status.ok());
  EXPECT_EQ(result.mode, PostFilterResult::Mode::Override);
  EXPECT_EQ(result.nominated_node, "n1");
  EXPECT_EQ(world_->writer.writes,
            (Lines{"evict default/low: default-scheduler: preempting to accommodate a higher priority pod"}));
  EXPECT_EQ(world_->writer.events, (Lines{"Normal Preempted Preempting default/low: Preempted by pod default/incoming "
                                          "on node n1"}));
}

TEST_F(DefaultPreemptionTest, NodesThatRejectForGoodAreNotTried) {
  Node("n0", "low", 1);
  world_->Add(MakeNode("n0").Allocatable("cpu", "2").Taint("dedicated", "", api::TaintEffect::NoSchedule).Build());
  Node("n1", "mid", 5);
  EXPECT_EQ(PostFilter(Incoming()).nominated_node, "n1");
}

TEST_F(DefaultPreemptionTest, WithoutCandidatesAPromiseIsTakenBack) {
  Node("n0", "equal", 10);
  world_->Add(MakeNode("small").Allocatable("cpu", "1").Build());
  const PostFilterResult result = PostFilter(Incoming());
  EXPECT_EQ(result.status.code(), Code::Unschedulable);
  EXPECT_EQ(result.status.Message(),
            "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not "
            "helpful for scheduling.");
  EXPECT_EQ(result.mode, PostFilterResult::Mode::Override);
  EXPECT_EQ(result.nominated_node, "");
  EXPECT_TRUE(world_->writer.writes.empty());
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
  world_->Add(MakeNode("n1").Allocatable("cpu", "2").Build());
  const auto leaving = [&](int32_t priority) {
    return MakePod("leaving")
        .Node("n1")
        .Request("cpu", "2")
        .Priority(priority)
        .Terminating()
        .Condition("DisruptionTarget", "True", "PreemptionByScheduler");
  };
  world_->Add(leaving(1).Build());
  EXPECT_EQ(PostFilter(Incoming().Nominated("n1")).status.Message(),
            "preemption: not eligible due to a terminating pod on the nominated node.");
  // Not when the promise was another, the victim is as important, or leaves for another reason.
  EXPECT_EQ(PostFilter(Incoming().Nominated("n0")).nominated_node, "n1");
  world_->Add(leaving(10).Build());
  EXPECT_EQ(PostFilter(Incoming().Nominated("n1")).nominated_node, "n0");
  world_->Add(MakePod("leaving").Node("n1").Request("cpu", "2").Priority(1).Terminating().Build());
  EXPECT_TRUE(PostFilter(Incoming().Nominated("n1")).status.ok());
}

TEST_F(DefaultPreemptionTest, APromiseThatCannotBeKeptDoesNotHoldThePodBack) {
  Node("n0", "mid", 5);
  world_->Add(MakeNode("n1").Allocatable("cpu", "1").Build());
  world_->Add(MakePod("leaving")
                  .Node("n1")
                  .Priority(1)
                  .Terminating()
                  .Condition("DisruptionTarget", "True", "PreemptionByScheduler")
                  .Build());
  EXPECT_EQ(PostFilter(Incoming().Nominated("n1")).nominated_node, "n0") << "n1 can never hold it";
  EXPECT_EQ(PostFilter(Incoming().Nominated("gone")).nominated_node, "n0");
}

TEST_F(DefaultPreemptionTest, LessImportantPromisesAreTakenBack) {
  Node("n0", "low", 1);
  Node("n1", "high", 9);
  world_->Add(MakePod("lower").Priority(9).Nominated("n0").Build());
  world_->Add(MakePod("elsewhere").Priority(1).Nominated("n1").Build());
  EXPECT_EQ(PostFilter(Incoming()).nominated_node, "n0");
  EXPECT_TRUE(world_->nominated.PodsFor("n0").empty());
  EXPECT_EQ(world_->nominated.PodsFor("n1").size(), 1U);
  ASSERT_EQ(world_->writer.writes.size(), 2U);
  EXPECT_EQ(world_->writer.writes.back(), "clear nomination of default/lower");
}

TEST_F(DefaultPreemptionTest, EquallyImportantPromisesStay) {
  world_->Add(MakeNode("n0").Allocatable("cpu", "3").Build());
  world_->Add(MakePod("low").Node("n0").Request("cpu", "2").Priority(1).Build());
  world_->Add(MakePod("peer").Request("cpu", "1").Priority(10).Nominated("n0").Build());
  EXPECT_EQ(PostFilter(Incoming()).nominated_node, "n0");
  EXPECT_EQ(world_->nominated.PodsFor("n0").size(), 1U);
}

TEST_F(DefaultPreemptionTest, VictimsThatWaitAtPermitAreTurnedAwayInMemory) {
  Node("n0", "low", 1);
  world_->waiting.Add(MakePod("low").Info(world_->names), {{"Gang", std::chrono::minutes(15)}});
  EXPECT_TRUE(PostFilter(Incoming()).status.ok());
  EXPECT_TRUE(world_->writer.writes.empty());
  EXPECT_EQ(world_->writer.events, (Lines{"Normal Preempted Preempting default/low: Preempted by pod default/incoming "
                                          "on node n0 (in kube-scheduler memory)."}));
  const framework::Status verdict = *world_->waiting.Take("default/low");
  EXPECT_EQ(verdict.Message(), "preempted");
  EXPECT_EQ(verdict.plugin(), kDefaultPreemption);
}

TEST_F(DefaultPreemptionTest, EvictionsThatFailAreErrors) {
  Node("n0", "low", 1);
  world_->writer.failure = "connection refused";
  const PostFilterResult result = PostFilter(Incoming());
  EXPECT_EQ(result.status.code(), Code::Error);
  EXPECT_EQ(result.status.Message(), "preemption: connection refused");
  EXPECT_EQ(result.nominated_node, "");
}

}  // namespace
}  // namespace berth::plugins
