// SPDX-License-Identifier: Apache-2.0
#include "config/convert/convert.h"

#include "api/document.h"
#include "config/load.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity_args.h"
#include "plugins/node_affinity/node_affinity_args.h"
#include "plugins/node_resources_fit/node_resources_fit_args.h"
#include "plugins/pod_topology_spread/pod_topology_spread_args.h"
#include "plugins/registry.h"
#include "plugins/volume_binding/volume_binding_args.h"

#include <algorithm>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace berth::config {
namespace {

using framework::ExtensionPoint;
using plugins::InterPodAffinityArgs;
using plugins::NodeAffinityArgs;
using plugins::NodeResourcesFitArgs;
using plugins::PodTopologySpreadArgs;
using plugins::VolumeBindingArgs;

std::string Old(const std::string& version, const std::string& rest) {
  return "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n" + rest;
}

PlannedConfiguration Planned(const std::string& text) {
  const framework::Registry registry = plugins::InTreeRegistry();
  auto outcome = LoadAndPlan(text, "f", registry);
  if (const auto* problem = std::get_if<ConfigProblem>(&outcome)) {
    ADD_FAILURE() << fmt::format("{}", fmt::join(problem->messages, "\n"));
    return {};
  }
  return std::get<PlannedConfiguration>(std::move(outcome));
}

std::map<std::string, int> Weights(const ProfilePlan& plan) {
  std::map<std::string, int> weights;
  for (const PlannedPlugin& plugin : plan.at(ExtensionPoint::Score)) weights[plugin.name] = plugin.weight;
  return weights;
}

bool Runs(const ProfilePlan& plan, ExtensionPoint point, std::string_view name) {
  return std::ranges::find(plan.at(point), name, &PlannedPlugin::name) != plan.at(point).end();
}

template <typename T>
T Args(const ProfilePlan& plan, const std::string& name) {
  const auto found = plan.args.find(name);
  const T* args = found == plan.args.end() ? nullptr : dynamic_cast<const T*>(found->second.get());
  EXPECT_NE(args, nullptr) << name;
  return args == nullptr ? T{} : *args;
}

TEST(Convert, WeightsBeforeV1Beta3) {
  for (const char* version : {"v1alpha1", "v1alpha2", "v1beta1", "v1beta2"}) {
    const auto weights = Weights(Planned(Old(version, "")).plans.at(0));
    EXPECT_EQ(weights.at("TaintToleration"), 1) << version;
    EXPECT_EQ(weights.at("NodeAffinity"), 1) << version;
    EXPECT_EQ(weights.at("InterPodAffinity"), 1) << version;
    EXPECT_EQ(weights.at("PodTopologySpread"), 2) << version;
    EXPECT_EQ(weights.at("NodeResourcesFit"), 1) << version;
  }
  EXPECT_EQ(Weights(Planned(Old("v1beta3", "")).plans.at(0)).at("TaintToleration"), 3);
}

TEST(Convert, WeightsKeepWhatTheFileSays) {
  const ProfilePlan plan = Planned(Old("v1beta2", R"(profiles:
- plugins:
    score:
      disabled: [{name: TaintToleration}]
      enabled: [{name: NodeAffinity, weight: 6}]
)"))
                               .plans.at(0);
  EXPECT_EQ(Weights(plan).at("NodeAffinity"), 6);
  EXPECT_FALSE(Weights(plan).contains("TaintToleration"));
  EXPECT_TRUE(Runs(plan, ExtensionPoint::Filter, "TaintToleration"));
}

TEST(Convert, RatioPluginBecomesAStrategy) {
  const ProfilePlan plan = Planned(Old("v1beta1", R"(profiles:
- plugins:
    score:
      disabled: [{name: NodeResourcesLeastAllocated}]
      enabled: [{name: RequestedToCapacityRatio, weight: 3}]
  pluginConfig:
  - name: RequestedToCapacityRatio
    args: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}], resources: [{name: cpu, weight: 2}]}
)"))
                               .plans.at(0);
  EXPECT_EQ(Weights(plan).at("NodeResourcesFit"), 3);
  const plugins::ScoringStrategyArgs strategy = Args<NodeResourcesFitArgs>(plan, "NodeResourcesFit").scoring_strategy;
  EXPECT_EQ(strategy.type, "RequestedToCapacityRatio");
  ASSERT_TRUE(strategy.shape);
  EXPECT_EQ(strategy.shape->size(), 2U);
  EXPECT_EQ(strategy.resources, (std::vector<plugins::node_resources::ResourceWeight>{{"cpu", 2}}));
}

TEST(Convert, NoResourceScorerLeft) {
  const ProfilePlan plan =
      Planned(Old("v1beta1", "profiles: [{plugins: {score: {disabled: [{name: NodeResourcesLeastAllocated}]}}}]\n"))
          .plans.at(0);
  EXPECT_FALSE(Weights(plan).contains("NodeResourcesFit"));
  EXPECT_TRUE(Runs(plan, ExtensionPoint::Filter, "NodeResourcesFit"));
}

TEST(Convert, TwoResourceScorersKeepTheHeavier) {
  const PlannedConfiguration planned = Planned(
      Old("v1beta1", "profiles: [{plugins: {score: {enabled: [{name: NodeResourcesMostAllocated, weight: 5}]}}}]\n"));
  EXPECT_EQ(Weights(planned.plans.at(0)).at("NodeResourcesFit"), 5);
  EXPECT_EQ(Args<NodeResourcesFitArgs>(planned.plans.at(0), "NodeResourcesFit").scoring_strategy.type, "MostAllocated");
  EXPECT_EQ(planned.loaded.notes.size(), 1U);
}

TEST(Convert, V1Alpha1IsOneProfile) {
  const PlannedConfiguration planned = Planned(Old("v1alpha1", R"(schedulerName: old-hand
algorithmSource: {provider: ClusterAutoscalerProvider}
hardPodAffinitySymmetricWeight: 8
disablePreemption: true
bindTimeoutSeconds: 90
healthzBindAddress: 0.0.0.0:10251
leaderElection: {lockObjectName: lock, lockObjectNamespace: space, resourceLock: endpoints}
plugins:
  postFilter: {disabled: [{name: "*"}]}
  unreserve: {enabled: [{name: VolumeBinding}], disabled: [{name: "*"}]}
)"));
  const ProfilePlan& plan = planned.plans.at(0);
  EXPECT_EQ(plan.scheduler_name, "old-hand");
  EXPECT_TRUE(plan.at(ExtensionPoint::PreScore).empty());
  EXPECT_FALSE(Runs(plan, ExtensionPoint::PostFilter, "DefaultPreemption"));
  EXPECT_TRUE(Runs(plan, ExtensionPoint::Reserve, "VolumeBinding"));
  EXPECT_EQ(Args<InterPodAffinityArgs>(plan, "InterPodAffinity").hard_pod_affinity_weight, 8);
  EXPECT_EQ(Args<VolumeBindingArgs>(plan, "VolumeBinding").bind_timeout_seconds, 90);
  EXPECT_EQ(Args<NodeResourcesFitArgs>(plan, "NodeResourcesFit").scoring_strategy.type, "MostAllocated");
  EXPECT_EQ(planned.loaded.config.leader_election.resource_name, "lock");
  EXPECT_EQ(planned.loaded.config.leader_election.resource_lock, "leases");
  EXPECT_EQ(planned.loaded.notes.size(), 3U) << fmt::format("{}", fmt::join(planned.loaded.notes, "\n"));
}

TEST(Convert, RemovedPluginsGoWithANote) {
  const PlannedConfiguration planned = Planned(Old("v1beta1", R"(profiles:
- plugins:
    filter: {enabled: [{name: NodeLabel}]}
    score:
      disabled: [{name: NodePreferAvoidPods}, {name: SelectorSpread}]
  pluginConfig:
  - {name: NodeLabel, args: {presentLabels: [rack], absentLabels: [old]}}
)"));
  ASSERT_EQ(planned.loaded.notes.size(), 1U);
  EXPECT_EQ(planned.loaded.notes[0].substr(0, 47), "NodeLabel was removed in 1.23: use NodeAffinity");
  const auto args = Args<NodeAffinityArgs>(planned.plans.at(0), "NodeAffinity");
  ASSERT_TRUE(args.added_affinity && args.added_affinity->required);
  EXPECT_EQ(args.added_affinity->required->terms.at(0).match_expressions.size(), 2U);
}

TEST(Convert, ArgumentsSayV1) {
  const ProfilePlan plan = Planned(Old("v1beta2", R"(profiles:
- pluginConfig:
  - name: InterPodAffinity
    args: {apiVersion: kubescheduler.config.k8s.io/v1beta2, kind: InterPodAffinityArgs, hardPodAffinityWeight: 9}
)"))
                               .plans.at(0);
  EXPECT_EQ(Args<InterPodAffinityArgs>(plan, "InterPodAffinity").hard_pod_affinity_weight, 9);
}

TEST(Convert, SpreadConstraintsOfTheTimeBeforeTypes) {
  const ProfilePlan plan = Planned(Old("v1beta1", R"(profiles:
- pluginConfig:
  - name: PodTopologySpread
    args: {defaultConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}]}
)"))
                               .plans.at(0);
  EXPECT_EQ(Args<PodTopologySpreadArgs>(plan, "PodTopologySpread").defaulting_type, "List");
}

TEST(Convert, PolicyRunsWhatItLists) {
  const PlannedConfiguration planned = Planned(R"({"kind": "Policy", "apiVersion": "v1",
    "predicates": [{"name": "GeneralPredicates"}, {"name": "MaxEBSVolumeCount"},
                   {"name": "Zones", "argument": {"labelsPresence": {"labels": ["zone"], "presence": true}}}],
    "priorities": [{"name": "MostRequestedPriority", "weight": 2}, {"name": "SelectorSpreadPriority", "weight": 4}],
    "hardPodAffinitySymmetricWeight": 6,
    "extenders": [{"urlprefix": "http://x", "filterVerb": "f", "enableHttps": false, "httpTimeout": 3000000000}]})");
  const ProfilePlan& plan = planned.plans.at(0);
  std::vector<std::string> filters;
  for (const PlannedPlugin& plugin : plan.at(ExtensionPoint::Filter)) filters.push_back(plugin.name);
  EXPECT_EQ(filters,
            (std::vector<std::string>{"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts",
                                      "NodeResourcesFit", "DynamicResources", "NodeDeclaredFeatures"}));
  EXPECT_EQ(Weights(plan),
            (std::map<std::string, int>{{"NodeResourcesFit", 2}, {"PodTopologySpread", 4}, {"DynamicResources", 2}}));
  EXPECT_EQ(Args<NodeResourcesFitArgs>(plan, "NodeResourcesFit").scoring_strategy.type, "MostAllocated");
  ASSERT_EQ(planned.loaded.config.extenders.size(), 1U);
  EXPECT_EQ(planned.loaded.config.extenders[0].url_prefix, "http://x");
  EXPECT_EQ(planned.loaded.config.extenders[0].http_timeout, std::chrono::seconds(3));
  EXPECT_EQ(planned.loaded.notes.size(), 3U) << fmt::format("{}", fmt::join(planned.loaded.notes, "\n"));
}

TEST(Convert, PolicyWithoutListsMeansTheDefaults) {
  const ProfilePlan plan = Planned("kind: Policy\napiVersion: v1\n").plans.at(0);
  EXPECT_EQ(Weights(plan).at("TaintToleration"), 1);
  EXPECT_TRUE(Runs(plan, ExtensionPoint::Filter, "VolumeBinding"));
}

TEST(Convert, WhatCannotBeConvertedIsAnError) {
  for (const std::string& text :
       {std::string("kind: Policy\napiVersion: v1\npredicates: [{name: Moon}]\n"),
        std::string("kind: Policy\napiVersion: v1\npriorities: [{name: Moon, weight: 1}]\n"),
        std::string("kind: Policy\napiVersion: v1\npredicates: {}\n"),
        std::string("kind: Policy\napiVersion: v1\ncolour: red\n"),
        Old("v1alpha1", "algorithmSource: {policy: {file: {path: /nonexistent/policy.cfg}}}\n"),
        Old("v1alpha1", "algorithmSource: {policy: {configMap: {name: a, namespace: b}}}\n"),
        Old("v1alpha1", "algorithmSource: {provider: Moon}\n"), Old("v1beta2", "colour: red\n"),
        Old("v1beta3", "healthzBindAddress: x\n")}) {
    const auto outcome = LoadConfiguration(text, "f", plugins::InTreeRegistry());
    const auto* problem = std::get_if<ConfigProblem>(&outcome);
    ASSERT_NE(problem, nullptr) << text;
    EXPECT_EQ(problem->stage, Stage::Decode) << text;
  }
}

TEST(Convert, PolicyFileOfV1Alpha1) {
  const std::string path = ::testing::TempDir() + "berth_convert_policy.json";
  std::ofstream(path) << R"({"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "HostName"}]})";
  const ProfilePlan plan =
      Planned(Old("v1alpha1", "algorithmSource: {policy: {file: {path: " + path + "}}}\n")).plans.at(0);
  std::remove(path.c_str());
  EXPECT_FALSE(Runs(plan, ExtensionPoint::Filter, "NodePorts"));
  EXPECT_TRUE(Runs(plan, ExtensionPoint::Filter, "NodeName"));
}

}  // namespace
}  // namespace berth::config
