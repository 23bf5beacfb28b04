// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/affinity.h"
#include "base/clock.h"
#include "framework/plugin_args.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The arguments of the in-tree plugins, with upstream's defaults as member initialisers.
namespace berth::config {

struct DefaultPreemptionArgs final : framework::PluginArgs {
  int32_t min_candidate_nodes_percentage = 10;
  int32_t min_candidate_nodes_absolute = 100;
};

struct InterPodAffinityArgs final : framework::PluginArgs {
  int32_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;
};

struct NodeAffinityArgs final : framework::PluginArgs {
  std::optional<api::NodeAffinity> added_affinity;
};

struct ResourceWeight {
  std::string name;
  int64_t weight = 1;
  friend bool operator==(const ResourceWeight&, const ResourceWeight&) = default;
};

// A point of a piecewise linear function from utilisation (0..100) to score (0..10).
struct UtilizationShapePoint {
  int32_t utilization = 0;
  int32_t score = 0;
};

struct ScoringStrategy {
  std::string type = "LeastAllocated";  // or MostAllocated, RequestedToCapacityRatio
  std::vector<ResourceWeight> resources = {{"cpu", 1}, {"memory", 1}};
  std::optional<std::vector<UtilizationShapePoint>> shape;  // requestedToCapacityRatio.shape
};

struct NodeResourcesFitArgs final : framework::PluginArgs {
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_resource_groups;
  ScoringStrategy scoring_strategy;
};

struct NodeResourcesBalancedAllocationArgs final : framework::PluginArgs {
  std::vector<ResourceWeight> resources = {{"cpu", 1}, {"memory", 1}};
};

struct PodTopologySpreadArgs final : framework::PluginArgs {
  std::vector<api::TopologySpreadConstraint> default_constraints;
  std::string defaulting_type = "System";  // or List
};

struct VolumeBindingArgs final : framework::PluginArgs {
  int64_t bind_timeout_seconds = 600;
  std::vector<UtilizationShapePoint> shape;
};

struct DynamicResourcesArgs final : framework::PluginArgs {
  std::optional<Duration> filter_timeout = std::chrono::seconds(10);
  std::optional<Duration> binding_timeout = std::chrono::seconds(600);
};

}  // namespace berth::config
