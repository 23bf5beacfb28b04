// SPDX-License-Identifier: Apache-2.0
#include "runtime/filter_steps.h"

#include "framework/fit_error.h"
#include "runtime/profile.h"
#include "support/builders.h"
#include "support/fake_plugins.h"
#include "support/test_bed.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace berth::runtime {
namespace {

using framework::Code;
using framework::NodeInfo;
using framework::PostFilterResult;
using framework::Status;
using test::FakeFilter;
using test::Log;
using test::MakeNode;
using test::MakePod;

// Two plugins, A before B, and the nodes n0, n1, n2.
class FilterStepsTest : public testing::Test {
 protected:
  FilterStepsTest() {
    const framework::Registry registry({test::Fake("A", a_), test::Fake("B", b_)});
    bed_.AddProfile(test::PlanOf(registry), registry);
    for (const char* name : {"n0", "n1", "n2"}) bed_.cluster.SetNode(MakeNode(name));
    pod_ = MakePod("p").Priority(10).Info(bed_.names);
    cycle_.Reset();
  }

  Status PreFilter() { return bed_.profile().filtering().RunPreFilter(cycle_, *pod_); }
  Status Filter() {
    EXPECT_TRUE(PreFilter().ok());
    return bed_.profile().filtering().RunFilter(cycle_, *pod_);
  }
  const Status& VerdictOn(std::string_view node) { return cycle_.verdicts.Of(bed_.cluster.FindNode(node)); }
  size_t Asked(std::string_view what) const {
    return static_cast<size_t>(
        std::count_if(log_.begin(), log_.end(), [&](const auto& l) { return l.starts_with(what); }));
  }

  Log log_;
  std::shared_ptr<FakeFilter> a_ = std::make_shared<FakeFilter>("A", log_);
  std::shared_ptr<FakeFilter> b_ = std::make_shared<FakeFilter>("B", log_);
  test::TestBed bed_;
  framework::PodInfoPtr pod_;
  Cycle cycle_;
};

TEST_F(FilterStepsTest, SkipLeavesThePluginOutOfTheCycle) {
  a_->pre_filter.status = Status::Skip();
  ASSERT_TRUE(Filter().ok());
  EXPECT_EQ(Asked("Filter A"), 0U);
  EXPECT_EQ(Asked("Filter B"), 3U);
  const auto other = MakePod("other").Info(bed_.names);
  EXPECT_TRUE(bed_.profile().filtering().RunPreFilterAddPod(cycle_.state, *pod_, *other, bed_.cluster.node(0)).ok());
  EXPECT_TRUE(bed_.profile().filtering().RunPreFilterRemovePod(cycle_.state, *pod_, *other, bed_.cluster.node(0)).ok());
  EXPECT_EQ(Asked("AddPod A") + Asked("RemovePod A"), 0U);
  EXPECT_EQ(Asked("AddPod B") + Asked("RemovePod B"), 2U);
}

TEST_F(FilterStepsTest, UnschedulableIsReturnedAfterAllHaveRun) {
  a_->pre_filter.status = Status::Unschedulable("not now");
  const Status status = PreFilter();
  EXPECT_EQ(status.code(), Code::Unschedulable);
  EXPECT_EQ(status.plugin(), "A");
  EXPECT_EQ(status.Message(), "not now");
  EXPECT_EQ(Asked("PreFilter B"), 1U);
}

TEST_F(FilterStepsTest, TheLastUnschedulableSpeaks) {
  a_->pre_filter.status = Status::Unschedulable("first");
  b_->pre_filter.status = Status::Unschedulable("second");
  EXPECT_EQ(PreFilter().Message(), "second");
}

TEST_F(FilterStepsTest, UnresolvableStopsAtOnce) {
  a_->pre_filter.status = Status::Unresolvable("never");
  const Status status = PreFilter();
  EXPECT_EQ(status.code(), Code::UnschedulableAndUnresolvable);
  EXPECT_EQ(status.plugin(), "A");
  EXPECT_EQ(Asked("PreFilter B"), 0U);
}

TEST_F(FilterStepsTest, EverythingElseInPreFilterIsAnError) {
  for (const Status& odd : {Status::FromError("broken"), Status::Pending("broken"), Status(Code::Wait, {"broken"})}) {
    a_->pre_filter.status = odd;
    const Status status = PreFilter();
    EXPECT_EQ(status.code(), Code::Error);
    EXPECT_EQ(status.plugin(), "A");
    EXPECT_EQ(status.Message(), "running PreFilter plugin \"A\": broken");
  }
}

TEST_F(FilterStepsTest, NodeSetsAreIntersected) {
  a_->pre_filter.node_names = {{"n0", "n1"}};
  b_->pre_filter.node_names = {{"n1", "n2", "nowhere"}};
  ASSERT_TRUE(Filter().ok());
  EXPECT_EQ(cycle_.feasible, (std::vector<framework::NodeId>{bed_.cluster.FindNode("n1")}));
  EXPECT_EQ(VerdictOn("n0").code(), Code::UnschedulableAndUnresolvable);
  EXPECT_EQ(VerdictOn("n0").Message(), "node(s) didn't satisfy plugin(s) [A B]");
  EXPECT_EQ(VerdictOn("n0").plugin(), "");
  EXPECT_EQ(Asked("Filter A"), 1U) << "other nodes are not looked at";
}

TEST_F(FilterStepsTest, OnePluginThatNamesNoNode) {
  a_->pre_filter.node_names = std::set<std::string>{};
  const Status status = PreFilter();
  EXPECT_EQ(status.code(), Code::UnschedulableAndUnresolvable);
  EXPECT_EQ(status.Message(), "node(s) didn't satisfy plugin A");
  EXPECT_EQ(Asked("PreFilter B"), 0U);
}

TEST_F(FilterStepsTest, TwoPluginsThatAgreeOnNoNode) {
  a_->pre_filter.node_names = {{"n0"}};
  b_->pre_filter.node_names = {{"n1"}};
  EXPECT_EQ(PreFilter().Message(), "node(s) didn't satisfy plugin(s) [A B] simultaneously");
}

TEST_F(FilterStepsTest, NodesThatDoNotExistLeaveNothingFeasible) {
  a_->pre_filter.node_names = {{"nowhere"}};
  ASSERT_TRUE(Filter().ok());
  EXPECT_TRUE(cycle_.feasible.empty());
  EXPECT_EQ(framework::NoNodesAvailable(3, framework::CountReasons(cycle_.verdicts)),
            "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [A].");
}

TEST_F(FilterStepsTest, TheFirstRejectionOfANodeCounts) {
  a_->filter = [](const NodeInfo& node) { return node.name() == "n0" ? Status::Unschedulable("full") : Status(); };
  b_->filter = [](const NodeInfo& node) { return node.name() != "n2" ? Status::Pending("soon") : Status(); };
  ASSERT_TRUE(Filter().ok());
  EXPECT_EQ(VerdictOn("n0").plugin(), "A");
  EXPECT_EQ(VerdictOn("n1").plugin(), "B");
  EXPECT_EQ(VerdictOn("n1").code(), Code::Pending);
  EXPECT_EQ(Asked("Filter B n0"), 0U);
  EXPECT_EQ(cycle_.feasible.size(), 1U);
}

TEST_F(FilterStepsTest, AnErrorInFilterEndsTheCycle) {
  a_->filter = [](const NodeInfo&) { return Status::FromError("disk on fire"); };
  const Status status = Filter();
  EXPECT_EQ(status.code(), Code::Error);
  EXPECT_EQ(status.Message(), "running \"A\" filter plugin: disk on fire");
  EXPECT_EQ(status.plugin(), "A");
  EXPECT_EQ(Asked("Filter"), 1U);
}

TEST_F(FilterStepsTest, SkipAndWaitFromFilterAreErrors) {
  a_->filter = [](const NodeInfo&) { return Status::Skip(); };
  EXPECT_EQ(Filter().code(), Code::Error);
  a_->filter = [](const NodeInfo&) { return Status::Wait(); };
  EXPECT_EQ(Filter().code(), Code::Error);
}

TEST_F(FilterStepsTest, NominatedPodsOfEqualOrHigherPriorityAreCountedIn) {
  // Room for one pod only.
  a_->filter = [](const NodeInfo& node) { return node.pods.size() > 0 ? Status::Unschedulable("full") : Status(); };
  bed_.nominated.Add(MakePod("equal").Priority(10).Info(bed_.names), "n0");
  bed_.nominated.Add(MakePod("lower").Priority(9).Info(bed_.names), "n1");
  bed_.nominated.Add(pod_, "n2");
  ASSERT_TRUE(Filter().ok());
  EXPECT_EQ(VerdictOn("n0").Message(), "full");
  EXPECT_EQ(VerdictOn("n0").plugin(), "A");
  EXPECT_TRUE(cycle_.verdicts.Passes(bed_.cluster.FindNode("n1"))) << "it takes the room of less important pods";
  EXPECT_TRUE(cycle_.verdicts.Passes(bed_.cluster.FindNode("n2"))) << "its own nomination does not count";
  EXPECT_EQ(Asked("AddPod A equal"), 1U);
  EXPECT_EQ(Asked("AddPod A lower"), 0U);
  EXPECT_EQ(bed_.cluster.node(0).pods.size(), 0U) << "the node itself is left alone";
}

TEST_F(FilterStepsTest, ThePodMustFitWithoutNominatedPodsToo) {
  a_->filter = [](const NodeInfo& node) { return node.pods.empty() ? Status::Unresolvable("lonely") : Status(); };
  bed_.nominated.Add(MakePod("friend").Priority(10).Info(bed_.names), "n0");
  log_.clear();
  EXPECT_TRUE(PreFilter().ok());
  const Status status =
      bed_.profile().filtering().RunFilterPluginsWithNominatedPods(cycle_.state, *pod_, bed_.cluster.node(0));
  EXPECT_EQ(status.Message(), "lonely");
  EXPECT_EQ(Asked("Filter A n0 with 1"), 1U);
  EXPECT_EQ(Asked("Filter A n0 with 0"), 1U);
}

TEST_F(FilterStepsTest, FailingToCountNominatedPodsInIsAnError) {
  b_->extension = Status::Unschedulable("cannot count");
  bed_.nominated.Add(MakePod("equal").Priority(10).Info(bed_.names), "n0");
  const Status status = Filter();
  EXPECT_EQ(status.code(), Code::Error);
  EXPECT_EQ(status.Message(), "running AddPod on PreFilter plugin \"B\": cannot count");
}

TEST_F(FilterStepsTest, PostFilterReasonsAddUp) {
  a_->post_filter = {Status::Unschedulable("a"), PostFilterResult::Mode::Override, "n1"};
  b_->post_filter = {Status::Unschedulable("b"), PostFilterResult::Mode::NoOp, "ignored"};
  const PostFilterResult result = bed_.profile().filtering().RunPostFilter(cycle_, *pod_);
  EXPECT_EQ(result.status.code(), Code::Unschedulable);
  EXPECT_EQ(result.status.Message(), "a, b");
  EXPECT_EQ(result.status.plugin(), "A");
  EXPECT_EQ(result.mode, PostFilterResult::Mode::Override);
  EXPECT_EQ(result.nominated_node, "n1") << "the last that is no no-op";
}

TEST_F(FilterStepsTest, PostFilterStopsAtSuccessHopelessnessOrError) {
  for (const Status& last : {Status::Success(), Status::Unresolvable("never"), Status::FromError("broken")}) {
    log_.clear();
    a_->post_filter = {last, PostFilterResult::Mode::Override, "n1"};
    const PostFilterResult result = bed_.profile().filtering().RunPostFilter(cycle_, *pod_);
    EXPECT_EQ(result.status.code(), last.code());
    EXPECT_EQ(result.status.Message(), last.Message());
    EXPECT_EQ(result.nominated_node, last.code() == Code::Error ? "" : "n1");
    EXPECT_EQ(Asked("PostFilter B"), 0U);
  }
}

}  // namespace
}  // namespace berth::runtime
