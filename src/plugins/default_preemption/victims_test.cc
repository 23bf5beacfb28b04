// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/victims.h"

#include "support/builders.h"
#include "support/test_bed.h"

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using framework::Code;
using framework::Status;
using test::MakeNode;
using test::MakePod;

// One node of 4 cpus, and a pod of priority 10.
class Victims : public testing::Test {
 protected:
  Victims() : bed_(test::DefaultTestBed()) { bed_->Add(MakeNode("n").Allocatable("cpu", "4").Build()); }

  void Running(const test::PodBuilder& pod) { bed_->Add(test::PodBuilder(pod).Node("n").Build()); }
  static test::PodBuilder Pod(std::string_view name, std::string_view cpu, int32_t priority, int64_t started = 0) {
    return MakePod(name).Request("cpu", cpu).Priority(priority).Started(started).Label("app", name);
  }
  // Protects pods with the label app=<app>.
  void Budget(std::string_view app, int32_t allowed, std::vector<std::string> disrupted = {}) {
    auto budget = std::make_shared<api::PodDisruptionBudget>();
    budget->meta.name = "for-" + std::string(app);
    budget->meta.namespace_ = "default";
    if (!app.empty()) budget->selector.emplace().match_labels.Set("app", app);
    if (app.empty()) budget->selector.emplace();
    budget->disruptions_allowed = allowed;
    budget->disrupted_pods = std::move(disrupted);
    bed_->Add(std::shared_ptr<const api::PodDisruptionBudget>(std::move(budget)));
  }

  Status Select(std::string_view cpu, std::string_view extra_port = {}) {
    test::PodBuilder builder = MakePod("incoming").Request("cpu", cpu).Priority(10);
    if (!extra_port.empty()) builder.HostPort(std::stoi(std::string(extra_port)));
    const framework::PodInfoPtr pod = builder.Info(bed_->names);
    runtime::Cycle cycle;
    cycle.Reset();
    EXPECT_TRUE(bed_->profile().filtering().RunPreFilter(cycle, *pod).ok());
    return SelectVictims(bed_->profile().filtering(), cycle.state, *pod, bed_->cluster.node(0),
                         bed_->cluster.objects().PodDisruptionBudgets(), test::AtSecond(1000), candidate_);
  }
  std::vector<std::string> Chosen() const {
    std::vector<std::string> names;
    for (const auto& victim : candidate_.victims) names.push_back(victim->pod->meta.name);
    return names;
  }
  using Names = std::vector<std::string>;

  std::unique_ptr<test::TestBed> bed_;
  PreemptionCandidate candidate_;
};

TEST_F(Victims, ImportanceIsPriorityThenAge) {
  const Timestamp now = test::AtSecond(1000);
  const auto more = [&](const test::PodBuilder& a, const test::PodBuilder& b) {
    return IsMoreImportant(*a.Build(), *b.Build(), now);
  };
  EXPECT_TRUE(more(Pod("a", "1", 2, 9), Pod("b", "1", 1, 0)));
  EXPECT_TRUE(more(Pod("a", "1", 1, 0), Pod("b", "1", 1, 9)));
  EXPECT_FALSE(more(Pod("a", "1", 1, 0), Pod("b", "1", 1, 0)));
  EXPECT_TRUE(more(Pod("a", "1", 1, 999), MakePod("b").Priority(1))) << "who has not started starts now";
}

TEST_F(Victims, NobodyLessImportantNoVictims) {
  Running(Pod("equal", "4", 10));
  const Status status = Select("1");
  EXPECT_EQ(status.code(), Code::UnschedulableAndUnresolvable);
  EXPECT_EQ(status.Message(), "No preemption victims found for incoming pod");
}

TEST_F(Victims, EvictionThatDoesNotHelpSaysWhy) {
  Running(Pod("equal", "3", 10));
  Running(Pod("low", "1", 0));
  const Status status = Select("2");
  EXPECT_EQ(status.code(), Code::Unschedulable);
  EXPECT_EQ(status.Message(), "Insufficient cpu");
}

TEST_F(Victims, AsFewAsPossibleTheImportantOnesStay) {
  Running(Pod("mid", "1", 5));
  Running(Pod("low", "1", 1));
  Running(Pod("old", "1", 2, 10));
  Running(Pod("new", "1", 2, 20));
  ASSERT_TRUE(Select("1").ok());
  EXPECT_EQ(Chosen(), (Names{"low"}));
  ASSERT_TRUE(Select("2").ok());
  EXPECT_EQ(Chosen(), (Names{"new", "low"})) << "the most important victim first";
  ASSERT_TRUE(Select("4").ok());
  EXPECT_EQ(Chosen(), (Names{"mid", "old", "new", "low"}));
  EXPECT_EQ(candidate_.node_name, "n");
}

TEST_F(Victims, ReprieveIsGreedyByImportance) {
  // Bringing "big" back first leaves no room for "small", although "small" alone would have been kept otherwise.
  Running(Pod("big", "3", 5));
  Running(Pod("small", "1", 4));
  ASSERT_TRUE(Select("1").ok());
  EXPECT_EQ(Chosen(), (Names{"small"}));
  ASSERT_TRUE(Select("2").ok());
  EXPECT_EQ(Chosen(), (Names{"big"})) << "what fits beside the pod comes back even if it is less important";
}

TEST_F(Victims, BrokenBudgetsAreReprievedFirst) {
  Running(Pod("guarded", "2", 0, 500));
  Running(Pod("plain", "2", 0, 0));
  Budget("guarded", 0);
  ASSERT_TRUE(Select("2").ok());
  EXPECT_EQ(Chosen(), (Names{"plain"})) << "although it is the more important one";
  EXPECT_EQ(candidate_.pdb_violations, 0);
  ASSERT_TRUE(Select("4").ok());
  EXPECT_EQ(Chosen(), (Names{"plain", "guarded"}));
  EXPECT_EQ(candidate_.pdb_violations, 1);
}

TEST_F(Victims, BudgetsAreUsedUpInOrderOfImportance) {
  for (const char* name : {"a", "b", "c"}) {
    Running(MakePod(name).Request("cpu", "1").Priority(0).Started(name[0]).Label("app", "shop"));
  }
  Budget("shop", 1);
  ASSERT_TRUE(Select("4").ok());
  EXPECT_EQ(candidate_.pdb_violations, 2);
  // "a" may go, so "b" and "c" come back before it does.
  ASSERT_TRUE(Select("2").ok());
  EXPECT_EQ(Chosen(), (Names{"a"}));
  EXPECT_EQ(candidate_.pdb_violations, 0);
}

TEST_F(Victims, EvictionsThatAreCountedAlreadyBreakNothing) {
  Running(Pod("guarded", "4", 0));
  Budget("guarded", 0, {"guarded"});
  ASSERT_TRUE(Select("1").ok());
  EXPECT_EQ(candidate_.pdb_violations, 0);
}

TEST_F(Victims, BudgetsThatSelectEverythingProtectNobody) {
  Running(Pod("low", "4", 0));
  Budget("", 0);
  ASSERT_TRUE(Select("1").ok());
  EXPECT_EQ(candidate_.pdb_violations, 0);
}

TEST_F(Victims, BudgetsOfOtherNamespacesDoNotMatter) {
  Running(MakePod("elsewhere/low").Request("cpu", "4").Label("app", "low"));
  Budget("low", 0);
  ASSERT_TRUE(Select("1").ok());
  EXPECT_EQ(candidate_.pdb_violations, 0);
}

TEST_F(Victims, OtherFiltersChooseToo) {
  Running(Pod("port", "1", 5).HostPort(80));
  Running(Pod("low", "1", 0));
  ASSERT_TRUE(Select("1", "80").ok());
  EXPECT_EQ(Chosen(), (Names{"port"}));
}

TEST_F(Victims, RoomForNominatedPodsIsLeft) {
  Running(Pod("a", "2", 1));
  Running(Pod("b", "2", 2));
  bed_->Add(Pod("promised", "2", 10).Nominated("n").Build());
  ASSERT_TRUE(Select("2").ok());
  EXPECT_EQ(Chosen(), (Names{"b", "a"}));
}

}  // namespace
}  // namespace berth::plugins
