// SPDX-License-Identifier: Apache-2.0
#include "runtime/score_steps.h"

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
using framework::ScoreColumn;
using framework::Status;
using test::FakeScore;
using test::MakeNode;

// Two plugins of weight 1 and 3 over the nodes n0, n1, n2, of which n1 is not feasible.
class ScoreStepsTest : public testing::Test {
 protected:
  ScoreStepsTest() {
    const framework::Registry registry({test::Fake("A", a_), test::Fake("B", b_)});
    config::ProfilePlan plan = test::PlanOf(registry);
    plan.at(framework::ExtensionPoint::Score)[1].weight = 3;
    bed_.AddProfile(std::move(plan), registry);
    for (const char* name : {"n0", "n1", "n2"}) bed_.cluster.SetNode(MakeNode(name));
    pod_ = test::MakePod("p").Info(bed_.names);
    cycle_.Reset();
    cycle_.feasible = {0, 2};
  }

  Status Score(std::vector<PluginScores>* detail = nullptr) {
    if (Status status = bed_.profile().scoring().RunPreScore(cycle_, *pod_); !status.ok()) return status;
    return bed_.profile().scoring().RunScore(cycle_, *pod_, detail);
  }
  bool Asked(std::string_view what) const {
    return std::any_of(log_.begin(), log_.end(), [&](const std::string& line) { return line.starts_with(what); });
  }
  static std::function<Result<int64_t>(const NodeInfo&)> ById(std::vector<int64_t> scores) {
    return [scores](const NodeInfo& node) { return Result<int64_t>(scores[node.id]); };
  }

  test::Log log_;
  std::shared_ptr<FakeScore> a_ = std::make_shared<FakeScore>("A", log_);
  std::shared_ptr<FakeScore> b_ = std::make_shared<FakeScore>("B", log_);
  test::TestBed bed_;
  framework::PodInfoPtr pod_;
  Cycle cycle_;
};

TEST_F(ScoreStepsTest, TotalsAreWeighted) {
  a_->score = ById({10, 99, 0});
  b_->score = ById({1, 99, 7});
  std::vector<PluginScores> detail;
  ASSERT_TRUE(Score(&detail).ok());
  EXPECT_EQ(cycle_.totals, (std::vector<int64_t>{13, 21}));
  ASSERT_EQ(detail.size(), 2U);
  EXPECT_EQ(detail[1].raw, (std::vector<int64_t>{1, 7}));
  EXPECT_EQ(detail[1].weighted, (std::vector<int64_t>{3, 21}));
  EXPECT_EQ(detail[1].weight, 3);
  EXPECT_FALSE(Asked("Score A n1"));
}

TEST_F(ScoreStepsTest, PreScoreSkipLeavesScoreOut) {
  a_->pre_score = Status::Skip();
  a_->score = ById({100, 100, 100});
  b_->score = ById({0, 0, 1});
  ASSERT_TRUE(Score().ok());
  EXPECT_FALSE(Asked("Score A"));
  EXPECT_FALSE(Asked("NormalizeScore A"));
  EXPECT_EQ(cycle_.totals, (std::vector<int64_t>{0, 3}));
}

TEST_F(ScoreStepsTest, EverythingElseInPreScoreIsAnError) {
  for (const Status& odd : {Status::FromError("broken"), Status::Unschedulable("broken")}) {
    a_->pre_score = odd;
    const Status status = Score();
    EXPECT_EQ(status.code(), Code::Error);
    EXPECT_EQ(status.Message(), "running PreScore plugin \"A\": broken");
  }
}

TEST_F(ScoreStepsTest, AFailingScoreEndsTheCycle) {
  b_->score = [](const NodeInfo&) { return Result<int64_t>(NotFoundError("no such label")); };
  EXPECT_EQ(Score().Message(), "running Score plugins: plugin \"B\" failed with: no such label");
}

TEST_F(ScoreStepsTest, NormalizeSeesAllScores) {
  a_->score = ById({1000, 5000, 2000});
  a_->normalize = [](ScoreColumn& scores) { framework::DefaultNormalize(scores, false); };
  ASSERT_TRUE(Score().ok());
  EXPECT_EQ(cycle_.totals, (std::vector<int64_t>{50, 100}));
}

TEST_F(ScoreStepsTest, AFailingNormalizeEndsTheCycle) {
  a_->normalized = Status::FromError("division by zero");
  EXPECT_EQ(Score().Message(), "running Normalize on Score plugins: plugin \"A\" failed with: division by zero");
}

TEST_F(ScoreStepsTest, ScoresOutOfRangeAreErrors) {
  for (const int64_t score : {int64_t{-1}, int64_t{101}, INT64_MIN}) {
    a_->score = ById({50, 50, score});
    EXPECT_EQ(Score().Message(),
              "applying score defaultWeights on Score plugins: plugin \"A\" returns an invalid score " +
                  std::to_string(score) + ", it should in the range of [0, 100] after normalizing");
    a_->normalize = [&](ScoreColumn& scores) { scores.SetAll(score); };
    EXPECT_EQ(Score().code(), Code::Error) << "one number for all is checked, too";
    a_->normalize = nullptr;
  }
  a_->score = ById({0, -7, 100});
  EXPECT_TRUE(Score().ok()) << "the limits themselves are fine, and nodes that are not feasible do not matter";
}

}  // namespace
}  // namespace berth::runtime
