// SPDX-License-Identifier: Apache-2.0
#include "conformance/random_config.h"

#include "api/document.h"
#include "base/check.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::conformance {
namespace {

std::string FitArgs(Dice& dice) {
  const std::string resources = dice.Pick({
      R"([{"name":"cpu","weight":3},{"name":"memory","weight":1},{"name":"example.com/gpu","weight":5}])",
      R"([{"name":"cpu","weight":1},{"name":"memory","weight":1}])",
      R"([{"name":"memory","weight":4},{"name":"ephemeral-storage","weight":2}])",
  });
  const std::string ignored =
      dice.Pick({"", "", R"("ignoredResources":["vendor.io/fpga"],"ignoredResourceGroups":["example.com"],)"});
  const std::string type = dice.Pick({"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"});
  const std::string shape =
      type != "RequestedToCapacityRatio"
          ? ""
          : dice.Pick({
                R"(,"requestedToCapacityRatio":{"shape":[{"utilization":0,"score":0},{"utilization":100,"score":10}]})",
                R"(,"requestedToCapacityRatio":{"shape":[{"utilization":0,"score":2},{"utilization":40,"score":9},)"
                R"({"utilization":100,"score":3}]})",
            });
  return fmt::format(R"({{{}"scoringStrategy":{{"type":"{}","resources":{}{}}}}})", ignored, type, resources, shape);
}

std::string BalancedArgs(Dice& dice) {
  return dice.Pick({
      R"({"resources":[{"name":"cpu","weight":1},{"name":"memory","weight":1},{"name":"example.com/gpu","weight":1}]})",
      R"({"resources":[{"name":"memory","weight":1}]})",
  });
}

std::string AddedAffinity(Dice& dice) {
  return dice.Pick({
      R"({"addedAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":)"
      R"([{"key":"topology.kubernetes.io/zone","operator":"In","values":["z0","z1"]}]}]}}})",
      R"({"addedAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"preference":)"
      R"({"matchExpressions":[{"key":"disk","operator":"Exists"}]}}]}})",
  });
}

std::string SpreadArgs(Dice& dice) {
  return dice.Pick({
      R"({"defaultingType":"List"})",
      R"({"defaultingType":"List","defaultConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone",)"
      R"("whenUnsatisfiable":"DoNotSchedule"},{"maxSkew":2,"topologyKey":"rack","whenUnsatisfiable":"ScheduleAnyway"}]})",
      R"({"defaultingType":"List","defaultConstraints":[{"maxSkew":1,"topologyKey":"kubernetes.io/hostname",)"
      R"("whenUnsatisfiable":"ScheduleAnyway"}]})",
  });
}

std::string AffinityArgs(Dice& dice) {
  return dice.Pick({
      R"({"hardPodAffinityWeight":90})",
      R"({"hardPodAffinityWeight":0,"ignorePreferredTermsOfExistingPods":true})",
  });
}

std::string Plugins(Dice& dice) {
  return dice.Pick({
      "{}",
      R"({"score":{"disabled":[{"name":"ImageLocality"}],"enabled":[{"name":"NodeResourcesFit","weight":7},)"
      R"({"name":"TaintToleration","weight":1}]}})",
      R"({"score":{"disabled":[{"name":"PodTopologySpread"},{"name":"InterPodAffinity"}]}})",
      R"({"filter":{"disabled":[{"name":"NodeUnschedulable"}]}})",
      R"({"postFilter":{"disabled":[{"name":"DefaultPreemption"}]}})",
      R"({"preScore":{"disabled":[{"name":"TaintToleration"}]}})",
  });
}

}  // namespace

std::optional<api::Value> RandomConfiguration(Dice& dice) {
  if (dice.Chance(0.5)) return std::nullopt;
  std::vector<std::string> args;
  const auto add = [&](std::string_view plugin, const std::string& of_plugin) {
    args.push_back(fmt::format(R"({{"name":"{}","args":{}}})", plugin, of_plugin));
  };
  if (dice.Chance(0.5)) add("NodeResourcesFit", FitArgs(dice));
  if (dice.Chance(0.3)) add("NodeResourcesBalancedAllocation", BalancedArgs(dice));
  if (dice.Chance(0.2)) add("NodeAffinity", AddedAffinity(dice));
  if (dice.Chance(0.4)) add("PodTopologySpread", SpreadArgs(dice));
  if (dice.Chance(0.3)) add("InterPodAffinity", AffinityArgs(dice));
  const std::string text =
      fmt::format(R"({{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[)"
                  R"({{"schedulerName":"default-scheduler","plugins":{},"pluginConfig":[{}]}}]}})",
                  Plugins(dice), fmt::join(args, ","));
  Result<std::vector<api::Document>> read = api::ReadDocuments(text, "configuration");
  BERTH_CHECK(read.has_value() && read->size() == 1);
  return std::move(read->front().root);
}

}  // namespace berth::conformance
