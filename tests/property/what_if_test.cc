// SPDX-License-Identifier: Apache-2.0
// Preemption asks what would be if a pod were gone: state that was changed by AddPod and RemovePod must judge nodes
// like state that was prepared on such a cluster.
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/registry.h"
#include "plugins/volume_restrictions/volume_restrictions.h"
#include "support/random_cluster.h"
#include "support/rounds.h"
#include "support/test_bed.h"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::CycleState;
using framework::NodeId;
using framework::NodeInfo;
using framework::PluginInstance;
using framework::PodInfo;
using framework::PodInfoPtr;
using framework::Status;

using Judgement = std::map<std::string, std::string>;  // by node name

std::string Text(const Status& status) { return fmt::format("{} {}", CodeName(status.code()), status.Message()); }

// All nodes of the cluster; `changed` stands in for its original.
Judgement Judge(const PluginInstance& plugin, const CycleState& state, const PodInfo& pod,
                const cluster::ClusterState& cluster, const NodeInfo& changed) {
  Judgement judgement;
  cluster.live_nodes().ForEach([&](size_t slot) {
    const NodeInfo& node = cluster.node(static_cast<NodeId>(slot));
    judgement[node.name()] = Text(plugin.filter->Filter(state, pod, node.id == changed.id ? changed : node));
  });
  return judgement;
}

// As upstream, constraints whose selector is empty count nobody at first, yet every pod that comes or goes.
bool SpreadsEverybody(const api::Pod& pod) {
  for (const api::TopologySpreadConstraint& constraint : pod.spec->topology_spread_constraints) {
    if (constraint.label_selector == api::LabelSelector()) return true;
  }
  return false;
}

class WhatIf {
 public:
  explicit WhatIf(uint64_t seed) : random_(seed, Shape(seed), now_.names) {
    const framework::Registry registry = plugins::InTreeRegistry();
    const config::ProfilePlan plan = PlansOf({}, registry).front();
    now_.AddProfile(plan, registry);
    then_.AddProfile(plan, registry);
    random_.FillIn(now_.cluster);
  }

  // Takes a random pod off its node and puts it back.
  void Try(Dice& dice, size_t& compared) {
    const PodInfoPtr pod = random_.PendingPod();
    const NodeInfo& node = now_.cluster.node(static_cast<NodeId>(dice.Below(now_.cluster.node_slots())));
    if (node.pods.empty()) return;
    const PodInfoPtr victim = dice.OneOf(node.pods);
    // As upstream, pods that are being deleted are not counted for spreading, yet taken off when they go.
    if (victim->pod->is_terminating()) return;
    then_.cluster = now_.cluster.Fork();
    then_.cluster.RemovePod(framework::PodUid(*victim->pod));
    for (const std::string_view name :
         {plugins::kInterPodAffinity, plugins::kPodTopologySpread, plugins::kVolumeRestrictions}) {
      if (name == plugins::kPodTopologySpread && SpreadsEverybody(*pod->pod)) continue;
      compared += Compare(name, *pod, *victim, node);
    }
  }

 private:
  static ClusterShape Shape(uint64_t seed) {
    return {.nodes = 3 + seed % 8, .pods = 10 + seed % 20, .spread = 0.7, .pod_affinity = 0.7, .volumes = 0.8};
  }

  size_t Compare(std::string_view name, const PodInfo& pod, const PodInfo& victim, const NodeInfo& node) {
    const PluginInstance& plugin = *now_.profile().plugins().Find(name);
    CycleState state;
    if (!plugin.pre_filter->PreFilter(state, pod, now_.cluster).status.ok()) return 0;
    const Judgement before = Judge(plugin, state, pod, now_.cluster, node);

    NodeInfo changed = node;
    EXPECT_TRUE(changed.RemovePod(framework::PodUid(*victim)));
    CycleState clone = state.Clone();
    EXPECT_TRUE(plugin.pre_filter_extensions->RemovePod(clone, pod, victim, changed).ok());
    const Judgement without = Judge(plugin, clone, pod, now_.cluster, changed);

    // As upstream, claims are told apart by name alone and counted once each at first.
    if (name != plugins::kVolumeRestrictions) CompareAfresh(name, pod, victim, without);

    changed.AddPod(std::make_shared<const PodInfo>(victim));
    EXPECT_TRUE(plugin.pre_filter_extensions->AddPod(clone, pod, victim, changed).ok());
    EXPECT_EQ(Judge(plugin, clone, pod, now_.cluster, changed), before) << name << " with the pod back";
    EXPECT_EQ(Judge(plugin, state, pod, now_.cluster, node), before) << name << ": the clone changed the original";
    return 1;
  }

  void CompareAfresh(std::string_view name, const PodInfo& pod, const PodInfo& victim, const Judgement& without) {
    const PluginInstance& afresh = *then_.profile().plugins().Find(name);
    CycleState fresh;
    const Status prepared = afresh.pre_filter->PreFilter(fresh, pod, then_.cluster).status;
    for (const auto& [node_name, verdict] : without) {
      const NodeInfo& there = then_.cluster.node(then_.cluster.FindNode(node_name));
      const Status expected = prepared.is_skip() ? Status() : afresh.filter->Filter(fresh, pod, there);
      EXPECT_EQ(verdict, Text(expected)) << name << " on " << node_name << " without " << victim->meta.name;
    }
  }

  TestBed now_;
  TestBed then_;
  RandomCluster random_;
};

TEST(WhatIf, StateFollowsPodsThatGoAndComeBack) {
  size_t compared = 0;
  for (uint64_t seed = 0; seed < Rounds(60) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    WhatIf what_if(seed);
    Dice dice(seed);
    for (size_t i = 0; i < 15; ++i) what_if.Try(dice, compared);
  }
  EXPECT_GT(compared, 300U);
}

}  // namespace
}  // namespace berth::test
