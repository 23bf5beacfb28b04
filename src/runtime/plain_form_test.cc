// SPDX-License-Identifier: Apache-2.0
#include "runtime/plain_form.h"

#include "framework/fit_error.h"
#include "runtime/profile.h"
#include "support/builders.h"
#include "support/test_bed.h"

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::runtime {
namespace {

using framework::CycleState;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::Status;

constexpr NodeId kNodes = 1000;

// Rejects and scores by the node's number, and fails where it is told to. Counts how often it is asked.
class Numbers final : public framework::FilterPlugin, public framework::ScorePlugin {
 public:
  Status Filter(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    asked.fetch_add(1, std::memory_order_relaxed);
    if (failing.contains(node.id)) return Status::FromError(fmt::format("node {} is broken", node.id));
    if (node.id % 3 == 0) return Status::Unschedulable("divisible by three");
    if (node.id % 7 == 0) return Status::Unresolvable(fmt::format("multiple {} of seven", node.id / 7 % 5));
    return Status::Success();
  }
  Result<int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    asked.fetch_add(1, std::memory_order_relaxed);
    if (failing.contains(node.id)) return InvalidError(fmt::format("node {} has no score", node.id));
    return node.id % 101;
  }

  std::set<NodeId> failing;
  mutable std::atomic<size_t> asked{0};
};

class PlainForm : public testing::TestWithParam<size_t> {
 protected:
  PlainForm() : workers_(GetParam()) {
    for (NodeId i = 0; i < kNodes; ++i) bed_.cluster.SetNode(test::MakeNode(fmt::format("n{}", i)));
    bed_.cluster.RemoveNode("n5");
  }
  PlainQuestion Question(WorkerPool* workers) const { return {state_, *pod_, bed_.cluster, workers}; }

  test::TestBed bed_;
  framework::PodInfoPtr pod_ = test::MakePod("p").Info(bed_.names);
  CycleState state_;
  Numbers plugin_;
  WorkerPool workers_;
};

// Everything that can be seen of a table, in order.
std::string Described(const framework::Verdicts& verdicts) {
  std::string text;
  for (const Status& status : verdicts.table())
    text += fmt::format("{} {}\n", CodeName(status.code()), status.Message());
  for (NodeId node = 0; node < kNodes; ++node)
    text += fmt::format("{} {}\n", verdicts.IdOf(node), verdicts.Passes(node));
  return text;
}

TEST_P(PlainForm, FiltersAsOnOneThread) {
  framework::Verdicts alone;
  framework::Verdicts shared;
  PlainVerdicts scratch;
  for (int round = 0; round < 3; ++round) {
    alone.Reset(bed_.cluster.live_nodes());
    shared.Reset(bed_.cluster.live_nodes());
    ASSERT_TRUE(FilterNodes(Question(nullptr), plugin_, scratch, alone).ok());
    ASSERT_TRUE(FilterNodes(Question(&workers_), plugin_, scratch, shared).ok());
    ASSERT_EQ(Described(shared), Described(alone));
  }
  EXPECT_EQ(plugin_.asked, 6 * (kNodes - 1));
  EXPECT_EQ(shared.table()[1].Message(), "divisible by three");  // node 0 comes first
}

TEST_P(PlainForm, TheFilterErrorOfTheLowestNodeWins) {
  plugin_.failing = {101, 102, 640, 999};
  framework::Verdicts verdicts;
  PlainVerdicts scratch;
  for (int round = 0; round < 20; ++round) {
    verdicts.Reset(bed_.cluster.live_nodes());
    const Status status = FilterNodes(Question(&workers_), plugin_, scratch, verdicts);
    ASSERT_EQ(status.Message(), "node 101 is broken");
    ASSERT_FALSE(verdicts.Passes(99));
    ASSERT_TRUE(verdicts.Passes(105));  // what lies behind the error is left alone
  }
}

TEST_P(PlainForm, ScoresAsOnOneThread) {
  std::vector<NodeId> feasible;
  for (NodeId node = 0; node < kNodes; node += 2) feasible.push_back(node);
  framework::ScoreColumn scores;
  scores.Reset(bed_.cluster.node_slots(), feasible);
  ASSERT_TRUE(ScoreNodes(Question(&workers_), plugin_, scores));
  for (const NodeId node : feasible) ASSERT_EQ(scores.Get(node), node % 101);
  EXPECT_EQ(plugin_.asked, feasible.size());
}

TEST_P(PlainForm, TheScoreErrorOfTheLowestNodeWins) {
  std::vector<NodeId> feasible;
  for (NodeId node = 10; node < kNodes; ++node) feasible.push_back(node);
  plugin_.failing = {3, 333, 334, 800};
  framework::ScoreColumn scores;
  for (int round = 0; round < 20; ++round) {
    scores.Reset(bed_.cluster.node_slots(), feasible);
    const Result<void> scored = ScoreNodes(Question(&workers_), plugin_, scores);
    ASSERT_FALSE(scored);
    ASSERT_EQ(scored.error().message, "node 333 has no score");
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, PlainForm, testing::Values(1, 2, 4), testing::PrintToStringParamName());

}  // namespace
}  // namespace berth::runtime
