// SPDX-License-Identifier: Apache-2.0
// What golden cases do not reach: labels that are empty or missing, selectors that select everybody, and the last bit.
#include "cluster/cluster_state.h"
#include "plugins/pod_topology_spread/natural_log.h"
#include "plugins/pod_topology_spread/spread_scores.h"
#include "plugins/pod_topology_spread/spread_state.h"

#include <bit>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::plugins::spread {
namespace {

using framework::NodeId;

constexpr char kZone[] = "topology.kubernetes.io/zone";

TEST(NaturalLog, HasTheLastBitOfUpstreamsRuntime) {
  struct Case {
    double x;
    uint64_t bits;
  };
  for (const auto& [x, bits] : {Case{2, 0x3fe62e42fefa39ef}, Case{3, 0x3ff193ea7aad030a}, Case{7, 0x3fff2272ae325a57},
                                Case{102, 0x40127ff8df87c7bd}, Case{5002, 0x40210901f6dc84b9}}) {
    EXPECT_EQ(std::bit_cast<uint64_t>(NaturalLog(x)), bits) << x;
  }
}

class Spread : public ::testing::Test {
 protected:
  // Adds a node in the zone, with `pods` pods on it.
  void AddNode(std::optional<std::string> zone, int pods) {
    auto node = std::make_shared<api::Node>();
    node->meta.name = "node-" + std::to_string(cluster_.node_count());
    if (zone) node->meta.labels.Set(kZone, *zone);
    cluster_.SetNode(node);
    for (int i = 0; i < pods; ++i)
      cluster_.PlacePod(MakePod(node->meta.name + "-" + std::to_string(i)), node->meta.name);
  }
  framework::PodInfoPtr MakePod(const std::string& uid) {
    auto pod = std::make_shared<api::Pod>();
    pod->meta.uid = uid;
    pod->meta.namespace_ = "default";
    pod->meta.labels = {{"app", "web"}};
    pod->spec = std::make_shared<api::PodSpec>();
    pod->status = std::make_shared<api::PodStatus>();
    return framework::MakePodInfo(pod, names_);
  }
  static Constraint ByZone(api::Selector selector = api::Selector::FromLabels({{"app", "web"}})) {
    Constraint constraint;
    constraint.counted = {std::move(selector), {"default"}, {}, kZone};
    return constraint;
  }
  SpreadState Counted(const Constraint& constraint) {
    SpreadState state;
    state.Renew().list = {constraint};
    state.Count(cluster_, *pod_->pod);
    return state;
  }
  std::vector<int64_t> Scores(bool require_all_keys) {
    std::vector<NodeId> feasible(cluster_.node_slots());
    std::iota(feasible.begin(), feasible.end(), NodeId{0});
    SpreadScores scores;
    scores.Renew().list = {ByZone()};
    scores.Count(cluster_, *pod_->pod, require_all_keys, feasible);
    framework::ScoreColumn column;
    column.Reset(cluster_.node_slots(), feasible);
    scores.WriteAll(column);
    std::vector<int64_t> result;
    for (const NodeId node : feasible) {
      EXPECT_EQ(column.Get(node), scores.Of(cluster_.node(node))) << node;
      result.push_back(column.Get(node));
    }
    return result;
  }

  framework::ResourceNames names_;
  cluster::ClusterState cluster_{names_};
  framework::PodInfoPtr pod_ = MakePod("new");
};

TEST_F(Spread, NodesWithoutZoneCountAsZoneWithEmptyNameUnderSystemDefaults) {
  AddNode("a", 1);
  AddNode("", 1);
  AddNode(std::nullopt, 2);
  // Two zones, "a" and "": log(4) is 1.386.
  EXPECT_EQ(Scores(/*require_all_keys=*/false), (std::vector<int64_t>{1, 4, 0}));
  EXPECT_EQ(Scores(/*require_all_keys=*/true), (std::vector<int64_t>{1, 1, 0}));
}

TEST_F(Spread, NodesWithoutZoneAreOneMoreZoneUnderSystemDefaults) {
  AddNode("a", 4);
  AddNode(std::nullopt, 0);
  EXPECT_EQ(Scores(/*require_all_keys=*/false), (std::vector<int64_t>{6, 0}));  // 4 log(4) = 5.5
  EXPECT_EQ(Scores(/*require_all_keys=*/true), (std::vector<int64_t>{4, 0}));   // 4 log(3) = 4.4
}

TEST_F(Spread, SelectorOfEverybodyCountsOnlyThePodItself) {
  AddNode("a", 3);
  AddNode("b", 0);
  const SpreadState everybody = Counted(ByZone(api::Selector::Everything()));
  EXPECT_EQ(everybody.Judge(0), SpreadState::Verdict::Pass);
  const SpreadState web = Counted(ByZone());
  EXPECT_EQ(web.Judge(0), SpreadState::Verdict::TooSkewed);
}

TEST_F(Spread, ChangesOfTheEmptiestDomainMoveTheMinimum) {
  AddNode("a", 1);
  AddNode("b", 1);
  AddNode("c", 2);
  SpreadState state = Counted(ByZone());
  EXPECT_EQ(state.Judge(0), SpreadState::Verdict::Pass);
  state.Update(*pod_->pod, 1, -1);  // a:1 b:0 c:2
  EXPECT_EQ(state.Judge(0), SpreadState::Verdict::TooSkewed);
  state.Update(*pod_->pod, 1, +2);  // a:1 b:2 c:2
  EXPECT_EQ(state.Judge(1), SpreadState::Verdict::TooSkewed);
  EXPECT_EQ(state.Judge(0), SpreadState::Verdict::Pass);
  state.Update(*pod_->pod, 0, +1);  // a:2 b:2 c:2
  EXPECT_EQ(state.Judge(2), SpreadState::Verdict::Pass);
}

}  // namespace
}  // namespace berth::plugins::spread
