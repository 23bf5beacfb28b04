// SPDX-License-Identifier: Apache-2.0
#include "scheduler/node_sampling.h"

#include "support/builders.h"
#include "support/test_bed.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

namespace berth::scheduler {
namespace {

using framework::NodeId;

TEST(NodeSampling, WantsWhatUpstreamWants) {
  EXPECT_EQ(FeasibleNodesWanted(10, 10), 10U);
  EXPECT_EQ(FeasibleNodesWanted(99, 1), 99U) << "small clusters are searched to the end";
  EXPECT_EQ(FeasibleNodesWanted(1000, 5), 100U) << "never fewer than a hundred";
  EXPECT_EQ(FeasibleNodesWanted(1000, 40), 400U);
  EXPECT_EQ(FeasibleNodesWanted(6000, 100), 6000U);
}

class SampledCluster : public testing::Test {
 protected:
  SampledCluster() {
    for (int i = 0; i < 300; ++i) {
      // The nodes of a zone come one after the other: only going through zones in turn mixes them.
      bed_.cluster.SetNode(
          test::MakeNode("n" + std::to_string(i)).Label("topology.kubernetes.io/zone", i < 150 ? "a" : "b").Build());
    }
  }
  std::vector<NodeId> All() const {
    std::vector<NodeId> all(300);
    for (NodeId id = 0; id < 300; ++id) all[id] = id;
    return all;
  }
  test::TestBed bed_;
  NodeSampling sampling_{20};
};

TEST_F(SampledCluster, GoesOnWhereItStoppedAndThroughZonesInTurn) {
  std::map<NodeId, int> seen;
  for (int cycle = 0; cycle < 3; ++cycle) {
    std::vector<NodeId> feasible = All();
    sampling_.Narrow(bed_.cluster, std::nullopt, feasible);
    EXPECT_EQ(feasible.size(), 100U);
    EXPECT_TRUE(std::ranges::is_sorted(feasible));
    EXPECT_EQ(std::ranges::count_if(feasible, [](NodeId id) { return id < 150; }), 50) << "half from each zone";
    for (const NodeId id : feasible) ++seen[id];
  }
  EXPECT_EQ(seen.size(), 300U) << "three cycles see every node once";
}

TEST_F(SampledCluster, FewFeasibleNodesAreAllKept) {
  std::vector<NodeId> feasible = {7, 200};
  sampling_.Narrow(bed_.cluster, std::nullopt, feasible);
  EXPECT_EQ(feasible, (std::vector<NodeId>{7, 200}));
}

TEST_F(SampledCluster, FollowsNodesThatComeAndGo) {
  std::vector<NodeId> feasible = All();
  sampling_.Narrow(bed_.cluster, std::nullopt, feasible);
  for (int i = 0; i < 150; ++i) bed_.cluster.RemoveNode("n" + std::to_string(i));
  feasible.clear();
  for (NodeId id = 150; id < 300; ++id) feasible.push_back(id);
  sampling_.Narrow(bed_.cluster, std::nullopt, feasible);
  EXPECT_EQ(feasible.size(), 100U);
  EXPECT_GE(feasible.front(), 150U);
}

}  // namespace
}  // namespace berth::scheduler
