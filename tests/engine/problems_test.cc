// SPDX-License-Identifier: Apache-2.0
// Nothing is dropped in silence: what the scheduler cannot do is logged once, counted, and told by its status.
#include "engine/hooked_store.h"
#include "engine/live_cluster.h"
#include "log/output.h"
#include "plugins/registry.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using scheduler::ProblemKind;
using std::chrono::minutes;
using std::chrono::seconds;

class ProblemsOfASchedulerTest : public testing::Test {
 protected:
  explicit ProblemsOfASchedulerTest(int verbosity = 0) : output_(stream_, log_clock_, Options(verbosity)) {
    scheduler::SchedulerOptions options;
    options.engine.log = log::Logger(output_, "");
    cluster_ = std::make_unique<LiveCluster>(plugins::InTreeRegistry(), DefaultPlans(plugins::InTreeRegistry()),
                                             options, &hooks_);
    hooks_.Wrap(cluster_->store);
  }
  static log::Options Options(int verbosity) {
    log::Options options;
    options.verbosity = verbosity;
    return options;
  }
  // How many lines of the log say this.
  size_t Lines(const std::string& text) const {
    std::istringstream lines(stream_.str());
    size_t count = 0;
    for (std::string line; std::getline(lines, line);) count += line.find(text) != std::string::npos ? 1 : 0;
    return count;
  }
  uint64_t Count(ProblemKind kind) const {
    return cluster_->scheduler->status().problem_counts.at(static_cast<size_t>(kind));
  }

  std::ostringstream stream_;
  ManualClock log_clock_;
  log::Output output_;
  HookedStore hooks_;
  std::unique_ptr<LiveCluster> cluster_;
};

TEST_F(ProblemsOfASchedulerTest, AnObjectThatCannotBeRead) {
  store::Operation broken = PodOperation("broken");
  broken.value = "{";
  cluster_->Write({broken});
  cluster_->Settle();
  broken.type = store::Operation::Type::Update;
  broken.value = "{{";
  cluster_->Write({broken});
  cluster_->Settle();
  EXPECT_EQ(Lines("Object cannot be read"), 1U) << stream_.str();
  EXPECT_EQ(Count(ProblemKind::UnreadableObject), 2U);
  const scheduler::SchedulerStatus status = cluster_->scheduler->status();
  ASSERT_EQ(status.problems.size(), 1U);
  EXPECT_EQ(status.problems.front().kind, ProblemKind::UnreadableObject);
  EXPECT_NE(status.problems.front().text.find("Pod default/broken"), std::string::npos);
  EXPECT_NE(cluster_->scheduler->metrics().Expose().find("berth_problems_total{problem=\"unreadable_object\"} 2"),
            std::string::npos);
  cluster_->RemovePod("broken");
  cluster_->Settle();
  EXPECT_TRUE(cluster_->scheduler->status().problems.empty());
}

TEST_F(ProblemsOfASchedulerTest, APatchThatIsRefused) {
  hooks_.on_commit = [](const store::Transaction&) -> std::optional<Result<store::CommitOutcome>> {
    return Result<store::CommitOutcome>(InvalidError("forbidden"));
  };
  for (const char* pod : {"p", "q", "r"}) cluster_->AddPod(pod, {.cpu = "2"});
  cluster_->Pass(seconds(10));
  EXPECT_EQ(Lines("\"Command was refused\" command=\"patch the status of\""), 2U) << "the 1st and the 10th\n"
                                                                                  << stream_.str();
  EXPECT_GE(Count(ProblemKind::CommandRefused), 10U);
}

TEST_F(ProblemsOfASchedulerTest, APatchThatIsGivenUp) {
  hooks_.on_commit = [](const store::Transaction&) -> std::optional<Result<store::CommitOutcome>> {
    return Result<store::CommitOutcome>(Error{ErrorCode::Unavailable, "no route"});
  };
  cluster_->AddPod("p", {.cpu = "2"});
  cluster_->Pass(minutes(1));
  EXPECT_EQ(Lines("\"Command was given up\" command=\"patch the status of\" object=\"Pod default/p\""), 1U)
      << stream_.str();
  EXPECT_GE(Count(ProblemKind::CommandGivenUp), 1U);
}

TEST_F(ProblemsOfASchedulerTest, AFeedThatIsInterrupted) {
  hooks_.on_list = [] { return std::optional(Error{ErrorCode::Unavailable, "no route"}); };
  cluster_->Pass(minutes(1));
  EXPECT_EQ(Lines("Feed was interrupted"), 1U) << stream_.str();
  EXPECT_GT(Count(ProblemKind::FeedInterrupted), 1U);
  EXPECT_EQ(cluster_->scheduler->status().problems.size(), 1U);
  hooks_.on_list = nullptr;
  cluster_->Pass(minutes(1));
  EXPECT_TRUE(cluster_->scheduler->status().problems.empty()) << "it works again";
}

TEST_F(ProblemsOfASchedulerTest, NothingIsSaidWhenAllIsWell) {
  cluster_->AddNode("a");
  cluster_->AddPod("p");
  cluster_->AddPod("large", {.cpu = "100"});
  cluster_->Settle();
  EXPECT_EQ(stream_.str(), "");
  EXPECT_TRUE(cluster_->scheduler->status().problems.empty());
}

class TalkativeSchedulerTest : public ProblemsOfASchedulerTest {
 protected:
  TalkativeSchedulerTest() : ProblemsOfASchedulerTest(3) {}
};

TEST_F(TalkativeSchedulerTest, TheStepsOfAPodAreLoggedAsKubeSchedulerDoes) {
  cluster_->AddNode("a");
  cluster_->AddPod("p");
  cluster_->AddPod("large", {.cpu = "100"});
  cluster_->Settle();
  EXPECT_EQ(Lines("\"Attempting to schedule pod\" pod=\"default/p\""), 1U) << stream_.str();
  EXPECT_EQ(Lines("\"Successfully bound pod to node\" pod=\"default/p\" node=\"a\" evaluatedNodes=1 feasibleNodes=1"),
            1U);
  EXPECT_EQ(Lines("\"Unable to schedule pod; no fit; waiting\" pod=\"default/large\""), 1U);
  EXPECT_EQ(Lines("\"Add event for node\" node=\"a\""), 1U);
  EXPECT_EQ(Lines("score"), 0U);
}

class ScoresInTheLogTest : public ProblemsOfASchedulerTest {
 protected:
  ScoresInTheLogTest() : ProblemsOfASchedulerTest(10) {}
};

TEST_F(ScoresInTheLogTest, EveryFeasibleNodeHasItsScoresByPluginAndTheirSum) {
  cluster_->AddNode("a");
  cluster_->AddNode("b");
  cluster_->AddPod("p");
  cluster_->Settle();
  const std::string pod = " pod=\"default/p\" ";
  EXPECT_EQ(Lines("\"Plugin scored node for pod\"" + pod + "plugin=\"NodeResourcesFit\" node=\"a\" score="), 1U);
  EXPECT_EQ(Lines("\"Plugin scored node for pod\"" + pod + "plugin=\"TaintToleration\" node=\"b\" score=300"), 1U)
      << stream_.str();
  EXPECT_EQ(Lines("\"Calculated node's final score for pod\"" + pod + "node=\"b\" score="), 1U);
}

}  // namespace
}  // namespace berth::test
