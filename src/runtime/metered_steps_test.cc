// SPDX-License-Identifier: Apache-2.0
#include "metrics/scheduler_metrics.h"
#include "runtime/bind_run.h"
#include "runtime/pre_bind_run.h"
#include "runtime/profile.h"
#include "support/builders.h"
#include "support/fake_binding_work.h"
#include "support/fake_plugins.h"
#include "support/test_bed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::runtime {
namespace {

using framework::Status;
using test::MakeNode;
using test::MakePod;

// One plugin for filtering, one for scoring, one for binding, and the nodes n0, n1, n2.
class MeteredSteps : public testing::Test {
 protected:
  MeteredSteps() {
    bed_.metrics = &metrics_;
    const framework::Registry registry(
        {test::Fake("Judge", filter_), test::Fake("Rank", score_), test::Fake("Bind", bind_)});
    bed_.AddProfile(test::PlanOf(registry), registry);
    for (const char* name : {"n0", "n1", "n2"}) bed_.cluster.SetNode(MakeNode(name));
    pod_ = MakePod("p").Info(bed_.names);
    cycle_.Reset();
  }

  const Profile& profile() { return bed_.profile(); }
  void Decide() {
    static_cast<void>(profile().filtering().RunPreFilter(cycle_, *pod_));
    static_cast<void>(profile().filtering().RunFilter(cycle_, *pod_));
    static_cast<void>(profile().scoring().RunPreScore(cycle_, *pod_));
    static_cast<void>(profile().scoring().RunScore(cycle_, *pod_));
  }
  void BindPod() {
    framework::CycleState& state = cycle_.state;
    std::map<std::string, Duration> waits;
    PreBindPlan plan;
    static_cast<void>(profile().binding().RunReserve(state, *pod_, "n0"));
    static_cast<void>(profile().binding().RunPermit(state, *pod_, "n0", waits));
    static_cast<void>(profile().binding().RunPreBindPreFlight(state, *pod_, "n0", plan));
    static_cast<void>(pre_bind_.Start(profile().plugins(), state, *pod_, "n0", plan, work_));
    static_cast<void>(BindRun().Start(profile().plugins(), state, *pod_, "n0", work_));
    profile().binding().RunPostBind(state, *pod_, "n0");
    profile().binding().RunUnreserve(state, *pod_, "n0");
  }

  // The value of an exposed sample; -1 when there is none.
  double Sample(const std::string& sample) const {
    const std::string text = metrics_.Expose();
    const size_t at = text.find("\nscheduler_" + sample + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(text.find("} ", at) + 2));
  }
  double Steps(std::string_view point, std::string_view status) const {
    return Sample(
        fmt::format("framework_extension_point_duration_seconds_count{{extension_point=\"{}\",status=\"{}\","
                    "profile=\"default-scheduler\"}}",
                    point, status));
  }
  double Evaluations(std::string_view plugin, std::string_view point) const {
    return Sample(
        fmt::format("plugin_evaluation_total{{plugin=\"{}\",extension_point=\"{}\",profile=\"default-scheduler\"}}",
                    plugin, point));
  }
  double Timings(std::string_view plugin, std::string_view point, std::string_view status) const {
    return Sample(
        fmt::format("plugin_execution_duration_seconds_count{{plugin=\"{}\",extension_point=\"{}\",status=\"{}\"}}",
                    plugin, point, status));
  }

  test::Log log_;
  std::shared_ptr<test::FakeFilter> filter_ = std::make_shared<test::FakeFilter>("Judge", log_);
  std::shared_ptr<test::FakeScore> score_ = std::make_shared<test::FakeScore>("Rank", log_);
  std::shared_ptr<test::FakeBinding> bind_ = std::make_shared<test::FakeBinding>("Bind", log_);
  metrics::SchedulerMetrics metrics_;
  test::TestBed bed_;
  framework::PodInfoPtr pod_;
  Cycle cycle_;
  test::FakeBindingWork work_;
  PreBindRun pre_bind_;
};

TEST_F(MeteredSteps, EveryStepIsTimedOncePerCycle) {
  Decide();
  BindPod();
  static_cast<void>(profile().filtering().RunPostFilter(cycle_, *pod_));
  for (const char* point : {"PreFilter", "Filter", "PreScore", "Score", "Reserve", "Permit", "PreBindPreFlight",
                            "PreBind", "Bind", "PostBind", "Unreserve"}) {
    EXPECT_EQ(Steps(point, "Success"), 1) << point;
  }
  EXPECT_EQ(Steps("PostFilter", "Unschedulable"), 1);
}

TEST_F(MeteredSteps, TheStatusOfAStepIsWhatItReturned) {
  filter_->pre_filter.status = Status::Unschedulable("no");
  score_->pre_score = Status::FromError("broken");
  bind_->reserve = Status::Pending("later");
  bind_->permit = {Status::Wait(), Duration(1)};
  bind_->pre_flight = Status::Skip();
  bind_->bind = Status::FromError("broken");
  Decide();
  BindPod();
  EXPECT_EQ(Steps("PreFilter", "Unschedulable"), 1);
  EXPECT_EQ(Steps("PreScore", "Error"), 1);
  EXPECT_EQ(Steps("Reserve", "Pending"), 1);
  EXPECT_EQ(Steps("Permit", "Wait"), 1);
  EXPECT_EQ(Steps("PreBindPreFlight", "Skip"), 1);
  EXPECT_EQ(Steps("PreBind", "Success"), 1);
  EXPECT_EQ(Steps("Bind", "Error"), 1);
}

TEST_F(MeteredSteps, FilteringThatRejectsEveryNodeHasSucceeded) {
  filter_->filter = [](const framework::NodeInfo&) { return Status::Unschedulable("no"); };
  Decide();
  EXPECT_EQ(Steps("Filter", "Success"), 1);
  EXPECT_EQ(Steps("Filter", "Unschedulable"), -1);
}

TEST_F(MeteredSteps, PluginsAreCountedFromZeroOncePerCycle) {
  EXPECT_EQ(Evaluations("Judge", "PreFilter"), 0);
  EXPECT_EQ(Evaluations("Rank", "Score"), 0);
  EXPECT_EQ(Evaluations("Judge", "PostFilter"), -1);
  Decide();
  EXPECT_EQ(Evaluations("Judge", "PreFilter"), 1);
  EXPECT_EQ(Evaluations("Judge", "Filter"), 1);
  EXPECT_EQ(Evaluations("Rank", "PreScore"), 1);
  EXPECT_EQ(Evaluations("Rank", "Score"), 1);
}

TEST_F(MeteredSteps, PluginsThatSkipHaveNotHadTheirSay) {
  filter_->pre_filter.status = Status::Skip();
  score_->pre_score = Status::Skip();
  Decide();
  EXPECT_EQ(Evaluations("Judge", "PreFilter"), 0);
  EXPECT_EQ(Evaluations("Judge", "Filter"), 0);
  EXPECT_EQ(Evaluations("Rank", "PreScore"), 0);
  EXPECT_EQ(Evaluations("Rank", "Score"), 0);
}

TEST_F(MeteredSteps, PluginsAreTimedInEveryTenthCycle) {
  filter_->pre_filter.status = Status::Skip();
  Decide();
  BindPod();
  EXPECT_EQ(Timings("Judge", "PreFilter", "Skip"), 1);
  EXPECT_EQ(Timings("Rank", "Score", "Success"), 1);
  EXPECT_EQ(Timings("Rank", "ScoreExtensionNormalize", "Success"), 1);
  for (int i = 0; i < 9; ++i) {
    cycle_.Reset();
    Decide();
    BindPod();
  }
  EXPECT_EQ(Timings("Rank", "Score", "Success"), 1);
  EXPECT_EQ(Evaluations("Rank", "Score"), 10);
  for (const char* point : {"Reserve", "Permit", "PreBindPreFlight", "PreBind", "Bind", "PostBind", "Unreserve"}) {
    EXPECT_EQ(Timings("Bind", point, "Success"), 1) << point;
  }
  cycle_.Reset();
  Decide();
  EXPECT_EQ(Timings("Rank", "Score", "Success"), 2);
}

TEST_F(MeteredSteps, FailuresOfAPluginAreTimedUnderItsCode) {
  filter_->pre_filter.status = Status::FromError("broken");
  static_cast<void>(profile().filtering().RunPreFilter(cycle_, *pod_));
  EXPECT_EQ(Timings("Judge", "PreFilter", "Error"), 1);
  EXPECT_EQ(Evaluations("Judge", "PreFilter"), 1);
}

// A plugin that waits is timed once, when it is finished.
TEST_F(MeteredSteps, PreBindIsTimedFromItsStartToItsOutcome) {
  bind_->run_pre_bind = [](const framework::Wake& wake, framework::BindingWork& work) {
    if (wake.reason == framework::Wake::Reason::Answer) return framework::BindingProgress::Done(Status::Success());
    work.Patch({});
    return framework::BindingProgress::Wait();
  };
  Decide();
  BindPod();
  EXPECT_EQ(Steps("PreBind", "Success"), -1);
  EXPECT_EQ(Timings("Bind", "PreBind", "Wait"), -1);
  EXPECT_TRUE(pre_bind_.Answer(1, std::string("7"))->ok());
  EXPECT_EQ(Steps("PreBind", "Success"), 1);
  EXPECT_EQ(Timings("Bind", "PreBind", "Success"), 1);
}

TEST_F(MeteredSteps, PreBindThatIsEndedEarlyCountsAsAnError) {
  bind_->run_pre_bind = [](const framework::Wake&, framework::BindingWork& work) {
    work.Patch({});
    return framework::BindingProgress::Wait();
  };
  Decide();
  BindPod();
  pre_bind_.Reset();
  pre_bind_.Reset();
  EXPECT_EQ(Steps("PreBind", "Error"), 1);
  EXPECT_EQ(Timings("Bind", "PreBind", "Error"), 1);
}

}  // namespace
}  // namespace berth::runtime
