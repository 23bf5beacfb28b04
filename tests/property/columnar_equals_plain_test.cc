// SPDX-License-Identifier: Apache-2.0
// Plugins come at two speeds: FilterAll and ScoreAll must reach exactly the verdicts and scores of Filter and Score.
#include "plugins/registry.h"
#include "support/cluster_shape.h"
#include "support/random_cluster.h"
#include "support/rounds.h"
#include "support/test_bed.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::CycleState;
using framework::ExtensionPoint;
using framework::IndexedCluster;
using framework::NodeId;
using framework::PluginInstance;
using framework::PodInfo;
using framework::PreFilterResult;
using framework::ScoreColumn;
using framework::Status;
using framework::Verdicts;

// Beside the default configuration, the plugins that take arguments with other ones.
constexpr std::string_view kConfiguration = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: packing
  plugins: &some {multiPoint: {disabled: [{name: "*"}], enabled: [{name: PrioritySort}, {name: DefaultBinder},
    {name: NodeResourcesFit}, {name: NodeResourcesBalancedAllocation}, {name: NodeAffinity}, {name: PodTopologySpread},
    {name: InterPodAffinity}]}}
  pluginConfig:
  - name: NodeResourcesFit
    args:
      ignoredResourceGroups: [extra.example.com]
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu, weight: 3}, {name: memory, weight: 1}, {name: example.com/gpu, weight: 5}]
  - name: NodeResourcesBalancedAllocation
    args: {resources: [{name: cpu}, {name: memory}, {name: example.com/gpu}]}
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [z0, z1]}]}]
        preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 7, preference: {matchExpressions: [{key: disk, operator: Exists}]}}
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints:
      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
      - {maxSkew: 2, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 90}
- schedulerName: drawn
  plugins: *some
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: cpu, weight: 2}, {name: memory, weight: 1}, {name: vendor.io/fpga, weight: 1}]
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 40, score: 9},
          {utilization: 100, score: 3}]}
  - name: NodeResourcesBalancedAllocation
    args: {resources: [{name: memory}]}
  - name: PodTopologySpread
    args: {defaultingType: List}
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: true}
- schedulerName: lopsided
  plugins: {multiPoint: {disabled: [{name: "*"}], enabled: [{name: PrioritySort}, {name: DefaultBinder},
    {name: NodeResourcesFit}]}}
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: 3}, {name: memory, weight: 4},
      {name: ephemeral-storage, weight: 2}]}}
)";

const std::vector<config::ProfilePlan>& Plans() {
  static const std::vector<config::ProfilePlan> kPlans = PlansOf(kConfiguration, plugins::InTreeRegistry());
  return kPlans;
}

// The default configuration, and storage is scored.
const std::vector<config::ProfilePlan>& StoragePlans() {
  static const std::vector<config::ProfilePlan> kPlans = [] {
    std::vector<config::ProfilePlan> plans = PlansOf("", plugins::InTreeRegistry());
    plans.front().features = *features::FeatureGates::FromMap({{"StorageCapacityScoring", true}});
    return plans;
  }();
  return kPlans;
}

std::string Text(const Status& status) {
  std::vector<std::string> reasons = status.reasons();
  std::sort(reasons.begin(), reasons.end());
  return fmt::format("{} [{}]", CodeName(status.code()), fmt::join(reasons, "; "));
}

// How often a plugin had something to say: a comparison of silence proves nothing.
struct Tally {
  size_t rejections = 0;
  size_t scores = 0;  // above zero
};
using Tallies = std::map<std::string, Tally, std::less<>>;

// What the plain and the columnar form say about one pod; differences go to `problems`.
class Comparison {
 public:
  Comparison(IndexedCluster& cluster, const PodInfo& pod, Dice& dice, Tallies& tallies,
             std::vector<std::string>& problems)
      : cluster_(cluster), pod_(pod), dice_(dice), tallies_(tallies), problems_(problems) {}

  void Compare(std::string_view name, const PluginInstance& plugin) {
    name_ = name;
    CycleState state;
    if (plugin.pre_filter != nullptr) {
      const PreFilterResult result = plugin.pre_filter->PreFilter(state, pod_, cluster_);
      if (!result.status.ok() && !result.status.is_skip()) return;
      if (plugin.filter_all != nullptr && !result.status.is_skip()) CompareFilter(plugin, state);
    } else if (plugin.filter_all != nullptr) {
      CompareFilter(plugin, state);
    }
    if (plugin.score_all != nullptr) CompareScore(plugin, state);
  }

  // As where a configuration leaves PreFilter and PreScore out, for a plugin that can do without.
  void CompareUnprepared(std::string_view name, const PluginInstance& plugin) {
    name_ = name;
    CycleState state;
    CompareFilter(plugin, state);
    CompareScore(plugin, state, /*prepared=*/false);
  }

 private:
  // All nodes, or some of them: earlier plugins may have rejected the others.
  Bitset SomeNodes(double share) {
    Bitset nodes = cluster_.live_nodes();
    if (dice_.Chance(0.5)) return nodes;
    cluster_.live_nodes().ForEach([&](size_t id) { nodes.Assign(id, dice_.Chance(share)); });
    return nodes;
  }

  void CompareFilter(const PluginInstance& plugin, const CycleState& state) {
    const Bitset candidates = SomeNodes(0.7);
    Verdicts verdicts;
    verdicts.Reset(candidates);
    verdicts.set_plugin(name_);
    const Status all = plugin.filter_all->FilterAll(state, pod_, cluster_, verdicts);
    bool failed = false;
    candidates.ForEach([&](size_t slot) {
      const auto id = static_cast<NodeId>(slot);
      const Status plain = plugin.filter->Filter(state, pod_, cluster_.node(id));
      failed = failed || (!plain.ok() && !plain.is_rejected());
      if (failed || !all.ok()) return;
      const Status& columnar = verdicts.Of(id);
      if (!plain.ok()) ++tallies_[name_].rejections;
      if (Text(plain) != Text(columnar) || plain.ok() != verdicts.Passes(id)) {
        Problem("filter", id, Text(plain), Text(columnar));
      }
    });
    if (failed == all.ok()) problems_.push_back(fmt::format("{}: FilterAll and Filter do not fail together", name_));
    if (!all.ok()) return;
    cluster_.live_nodes().ForEach([&](size_t id) {
      if (!candidates.Test(id) && verdicts.IdOf(static_cast<NodeId>(id)) != Verdicts::kPass) {
        problems_.push_back(fmt::format("{}: FilterAll judged a node that was no candidate", name_));
      }
    });
  }

  void CompareScore(const PluginInstance& plugin, CycleState& state, bool prepared = true) {
    std::vector<NodeId> feasible;
    SomeNodes(0.5).ForEach([&](size_t id) { feasible.push_back(static_cast<NodeId>(id)); });
    if (feasible.empty()) return;
    if (prepared && plugin.pre_score != nullptr && !plugin.pre_score->PreScore(state, pod_, cluster_, feasible).ok())
      return;

    ScoreColumn columnar;
    columnar.Reset(cluster_.node_slots(), feasible);
    const Status status = plugin.score_all->ScoreAll(state, pod_, cluster_, columnar);
    ScoreColumn plain;
    plain.Reset(cluster_.node_slots(), feasible);
    bool failed = false;
    for (const NodeId id : feasible) {
      const Result<int64_t> score = plugin.score->Score(state, pod_, cluster_.node(id));
      failed = failed || !score;
      if (score) plain.MutableValues()[id] = *score;
    }
    if (failed == status.ok()) problems_.push_back(fmt::format("{}: ScoreAll and Score do not fail together", name_));
    if (failed || !status.ok()) return;
    CompareColumns("score", plain, columnar);
    if (plugin.normalize_score != nullptr) {
      ASSERT_TRUE(plugin.normalize_score->NormalizeScore(state, pod_, plain).ok());
      ASSERT_TRUE(plugin.normalize_score->NormalizeScore(state, pod_, columnar).ok());
      CompareColumns("normalised score", plain, columnar);
    }
    for (const NodeId id : feasible) {
      if (columnar.Get(id) < 0 || columnar.Get(id) > framework::kMaxNodeScore) {
        Problem("range", id, "0..100", std::to_string(columnar.Get(id)));
      }
    }
  }

  void CompareColumns(std::string_view what, const ScoreColumn& plain, const ScoreColumn& columnar) {
    for (const NodeId id : plain.feasible()) {
      if (plain.Get(id) != 0) ++tallies_[name_].scores;
      if (plain.Get(id) == columnar.Get(id)) continue;
      Problem(what, id, std::to_string(plain.Get(id)), std::to_string(columnar.Get(id)));
    }
  }

  void Problem(std::string_view what, NodeId id, std::string_view plain, std::string_view columnar) {
    problems_.push_back(fmt::format("{} {} of {} on {}: plain {}, columnar {}", name_, what, pod_->meta.name,
                                    cluster_.node(id).name(), plain, columnar));
  }

  IndexedCluster& cluster_;
  const PodInfo& pod_;
  Dice& dice_;
  Tallies& tallies_;
  std::vector<std::string>& problems_;
  std::string name_;
};

// Every plugin of every profile, for some pods of a random cluster.
void ComparePlugins(uint64_t seed, const ClusterShape& shape, size_t pods, size_t vacant, Tallies& tallies,
                    const std::vector<config::ProfilePlan>& plans = Plans()) {
  TestBed bed;
  RandomCluster random(seed, shape, bed.names);
  random.FillIn(bed.cluster, seed);
  for (size_t i = 0; i < vacant && random.node_count() > 1; ++i) bed.cluster.Apply(random.Remove(random.AnyNode()));
  const framework::Registry registry = plugins::InTreeRegistry();
  for (const config::ProfilePlan& plan : plans) bed.AddProfile(plan, registry);

  Dice dice(seed + 1);
  std::vector<std::string> problems;
  for (size_t i = 0; i < pods; ++i) {
    const framework::PodInfoPtr pod = random.PendingPod();
    for (const auto& profile : bed.profiles) {
      std::set<std::string_view> names;
      for (const ExtensionPoint point : {ExtensionPoint::Filter, ExtensionPoint::Score}) {
        for (const std::string_view name : profile->plugins().NamesAt(point)) names.insert(name);
      }
      for (const std::string_view name : names) {
        Comparison(bed.cluster, *pod, dice, tallies, problems).Compare(name, *profile->plugins().Find(name));
      }
    }
  }
  if (problems.size() > 10) problems.resize(10);
  EXPECT_TRUE(problems.empty()) << "seed " << seed << "\n" << fmt::format("{}", fmt::join(problems, "\n"));
}

void ComparePlugins(uint64_t seed, const ClusterShape& shape, size_t pods, size_t vacant) {
  Tallies tallies;
  ComparePlugins(seed, shape, pods, vacant, tallies);
}

TEST(ColumnarEqualsPlain, EveryInTreePluginHasTheColumnarForm) {
  TestBed bed;
  const framework::Registry registry = plugins::InTreeRegistry();
  const runtime::Profile& profile = bed.AddProfile(Plans().front(), registry);
  for (const std::string_view name : profile.plugins().NamesAt(ExtensionPoint::Filter)) {
    EXPECT_NE(profile.plugins().Find(name)->filter_all, nullptr) << name;
  }
  for (const std::string_view name : profile.plugins().NamesAt(ExtensionPoint::Score)) {
    EXPECT_NE(profile.plugins().Find(name)->score_all, nullptr) << name;
  }
}

TEST(ColumnarEqualsPlain, SmallMixedClusters) {
  Tallies tallies;
  for (uint64_t seed = 0; seed < Rounds(150) && !testing::Test::HasFailure(); ++seed) {
    ComparePlugins(seed, {.nodes = 2 + seed % 19, .pods = 6 + seed % 40}, 4, seed % 3, tallies);
  }
  for (const char* name : {"InterPodAffinity", "NodeAffinity", "NodeDeclaredFeatures", "NodePorts", "NodeResourcesFit",
                           "NodeUnschedulable", "PodTopologySpread", "TaintToleration"}) {
    EXPECT_GT(tallies[name].rejections, 50U) << name;
  }
  for (const char* name : {"ImageLocality", "InterPodAffinity", "NodeAffinity", "NodeResourcesBalancedAllocation",
                           "NodeResourcesFit", "PodTopologySpread", "TaintToleration"}) {
    EXPECT_GT(tallies[name].scores, 100U) << name;
  }
}

TEST(ColumnarEqualsPlain, VolumesOfAllKinds) {
  Tallies tallies;
  for (uint64_t seed = 6000; seed < 6000 + Rounds(80) && !testing::Test::HasFailure(); ++seed) {
    ComparePlugins(seed, {.nodes = 2 + seed % 19, .pods = 6 + seed % 30, .volumes = 1}, 8, seed % 3, tallies);
  }
  for (const char* name : {"NodeVolumeLimits", "VolumeBinding", "VolumeRestrictions", "VolumeZone"}) {
    EXPECT_GT(tallies[name].rejections, 50U) << name;
  }
}

TEST(ColumnarEqualsPlain, StorageThatIsScored) {
  Tallies tallies;
  for (uint64_t seed = 8000; seed < 8000 + Rounds(80) && !testing::Test::HasFailure(); ++seed) {
    const size_t nodes = seed % 8 == 0 ? 70 : 2 + seed % 19;
    ComparePlugins(seed, {.nodes = nodes, .pods = 6 + seed % 30, .volumes = 1}, 8, seed % 3, tallies, StoragePlans());
  }
  EXPECT_GT(tallies["VolumeBinding"].scores, 50U);
}

TEST(ColumnarEqualsPlain, NodeAffinityWithoutPreFilterAndPreScore) {
  Tallies tallies;
  std::vector<std::string> problems;
  for (uint64_t seed = 7000; seed < 7000 + Rounds(60); ++seed) {
    TestBed bed;
    RandomCluster random(seed, {.nodes = 2 + seed % 80, .pods = 10, .node_affinity = 1}, bed.names);
    random.FillIn(bed.cluster, seed);
    const runtime::Profile& profile = bed.AddProfile(Plans().front(), plugins::InTreeRegistry());
    Dice dice(seed + 1);
    const framework::PodInfoPtr pod = random.PendingPod();
    Comparison(bed.cluster, *pod, dice, tallies, problems)
        .CompareUnprepared("NodeAffinity", *profile.plugins().Find("NodeAffinity"));
  }
  EXPECT_TRUE(problems.empty()) << fmt::format("{}", fmt::join(problems, "\n"));
  EXPECT_GT(tallies["NodeAffinity"].rejections, 50U);
  EXPECT_GT(tallies["NodeAffinity"].scores, 50U);
}

TEST(ColumnarEqualsPlain, OneFeatureAtATime) {
  const ClusterShape none{.resources = 0,
                          .taints = 0,
                          .node_affinity = 0,
                          .ports = 0,
                          .images = 0,
                          .spread = 0,
                          .pod_affinity = 0,
                          .volumes = 0,
                          .workloads = 0,
                          .features = 0,
                          .priorities = 0};
  for (double ClusterShape::*feature :
       {&ClusterShape::resources, &ClusterShape::taints, &ClusterShape::node_affinity, &ClusterShape::ports,
        &ClusterShape::images, &ClusterShape::spread, &ClusterShape::pod_affinity, &ClusterShape::volumes,
        &ClusterShape::workloads, &ClusterShape::features}) {
    ClusterShape shape = none;
    shape.*feature = 1;
    for (uint64_t seed = 1000; seed < 1000 + Rounds(12) && !testing::Test::HasFailure(); ++seed) {
      shape.nodes = 3 + seed % 12;
      ComparePlugins(seed, shape, 4, seed % 2);
    }
  }
}

TEST(ColumnarEqualsPlain, MoreNodesThanAWordHolds) {
  for (uint64_t seed = 2000; seed < 2000 + Rounds(16) && !testing::Test::HasFailure(); ++seed) {
    ComparePlugins(seed, {.nodes = 60 + (seed % 8) * 19, .pods = 150}, 2, seed % 20);
  }
}

TEST(ColumnarEqualsPlain, AmountsBeyondExactDoubles) {
  for (uint64_t seed = 3000; seed < 3000 + Rounds(60) && !testing::Test::HasFailure(); ++seed) {
    ComparePlugins(seed, {.nodes = 5 + seed % 70, .pods = 20, .huge_amounts = true}, 4, seed % 3);
  }
}

TEST(ColumnarEqualsPlain, NodesThatHaveNothing) {
  for (uint64_t seed = 4000; seed < 4000 + Rounds(50) && !testing::Test::HasFailure(); ++seed) {
    ComparePlugins(seed, {.nodes = 4 + seed % 20, .pods = 20, .resources = 1, .zero_amounts = true}, 4, seed % 3);
  }
}

TEST(ColumnarEqualsPlain, MoreResourcesThanAKeyHolds) {
  for (uint64_t seed = 5000; seed < 5000 + Rounds(40) && !testing::Test::HasFailure(); ++seed) {
    ComparePlugins(seed, {.nodes = 4 + seed % 20, .pods = 20, .resources = 1, .extra_resources = 9 + seed % 9}, 4, 1);
  }
}

}  // namespace
}  // namespace berth::test
