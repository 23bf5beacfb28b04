// SPDX-License-Identifier: Apache-2.0
// The checks that other tests rely on: they find what they are there to find.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/live_cluster.h"
#include "plugins/registry.h"

#include <gtest/gtest.h>

namespace berth::test {
namespace {

// The default profile without the plugin that keeps nodes from being overfilled.
std::vector<config::ProfilePlan> PlansWithoutFit(const framework::Registry& registry) {
  std::vector<config::ProfilePlan> plans = DefaultPlans(registry);
  std::erase_if(plans.front().at(framework::ExtensionPoint::Filter),
                [](const auto& plugin) { return plugin.name == "NodeResourcesFit"; });
  return plans;
}

TEST(Invariants, AnOverfilledNodeIsFound) {
  LiveCluster cluster(plugins::InTreeRegistry(), PlansWithoutFit(plugins::InTreeRegistry()));
  HistoryAudit audit(cluster.store);
  cluster.AddNode("a", "1");
  cluster.AddPod("p", {.cpu = "1"});
  cluster.Settle();
  EXPECT_EQ(cluster.engine().CheckInvariants(), "");
  EXPECT_EQ(audit.Problems(), "");
  cluster.AddPod("q", {.cpu = "1"});
  cluster.Settle();
  ASSERT_EQ(cluster.NodeOf("q"), "a");
  EXPECT_EQ(cluster.engine().CheckInvariants(), "node a was given more pods than its cpu allows\n");
  EXPECT_NE(audit.Problems().find("q overfills a: cpu 2000/1000"), std::string::npos);
}

TEST(Invariants, WhatOthersPutOnANodeIsNotHeldAgainstTheEngine) {
  LiveCluster cluster;
  cluster.AddNode("a", "1");
  cluster.AddPod("p", {.cpu = "600m"});
  cluster.Settle();
  cluster.AddPod("theirs", {.cpu = "600m", .node = "a"});
  cluster.Settle();
  EXPECT_EQ(cluster.engine().CheckInvariants(), "");
}

TEST(Invariants, ANodeThatWasMadeSmallerIsNotHeldAgainstTheEngine) {
  LiveCluster cluster;
  cluster.AddNode("a", "2");
  cluster.AddPod("p", {.cpu = "600m"});
  cluster.AddPod("q", {.cpu = "600m"});
  cluster.Settle();
  cluster.UpdateNode("a", "1");
  cluster.Settle();
  EXPECT_EQ(cluster.engine().CheckInvariants(), "");
  cluster.AddPod("free", {.cpu = "0"});
  cluster.Settle();
  ASSERT_EQ(cluster.NodeOf("free"), "a") << "it asks for nothing that is short";
  EXPECT_EQ(cluster.engine().CheckInvariants(), "");
}

TEST(Invariants, AChangedPlacementIsFound) {
  LiveCluster cluster;
  HistoryAudit audit(cluster.store);
  cluster.AddNode("a");
  cluster.AddNode("b");
  cluster.AddPod("p");
  cluster.Settle();
  const std::string other = cluster.NodeOf("p") == "a" ? "b" : "a";
  store::Operation update = PodOperation("p", {.node = other});
  update.type = store::Operation::Type::Update;
  cluster.Write({update});
  EXPECT_NE(audit.Problems(), "");
  cluster.Settle();
}

TEST(Invariants, ALostPodIsFound) {
  LiveCluster cluster;
  cluster.AddNode("a");
  cluster.Settle();
  EXPECT_EQ(Disagreements(cluster.engine(), cluster), "");
  cluster.AddPod("p");
  EXPECT_EQ(Disagreements(cluster.engine(), cluster), "uid-p is lost\n") << "it has not been heard of yet";
  cluster.Settle();
  EXPECT_EQ(Disagreements(cluster.engine(), cluster), "");
}

}  // namespace
}  // namespace berth::test
