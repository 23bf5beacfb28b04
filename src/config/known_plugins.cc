// SPDX-License-Identifier: Apache-2.0
#include "config/known_plugins.h"

#include <algorithm>
#include <array>

namespace berth::config {
namespace {

using features::Gate;

std::vector<PluginRef> AlwaysByDefault() {
  return {
      {"SchedulingGates"},      {"PrioritySort"},        {"NodeUnschedulable"}, {"NodeName"},
      {"TaintToleration", 3},   {"NodeAffinity", 2},     {"NodePorts"},         {"NodeResourcesFit", 1},
      {"VolumeRestrictions"},   {"NodeVolumeLimits"},    {"VolumeBinding"},     {"VolumeZone"},
      {"PodTopologySpread", 2}, {"InterPodAffinity", 2}, {"DefaultPreemption"}, {"NodeResourcesBalancedAllocation", 1},
      {"ImageLocality", 1},     {"DefaultBinder"}};
}

}  // namespace

std::vector<PluginRef> DefaultMultiPoint(const features::FeatureGates& gates) {
  std::vector<PluginRef> plugins = AlwaysByDefault();
  if (gates.Enabled(Gate::NodeDeclaredFeatures)) plugins.push_back({"NodeDeclaredFeatures"});
  if (gates.Enabled(Gate::DynamicResourceAllocation)) {
    // DynamicResources comes first so that unused claims are deallocated before pods are evicted.
    plugins.insert(std::ranges::find(plugins, "DefaultPreemption", &PluginRef::name), {"DynamicResources", 2});
  }
  if (gates.Enabled(Gate::GangScheduling)) plugins.push_back({"GangScheduling"});
  if (gates.Enabled(Gate::TopologyAwareWorkloadScheduling)) {
    plugins.push_back({"TopologyPlacementGenerator"});
    plugins.push_back({"PodGroupPodsCount", 1});
  }
  return plugins;
}

bool IsRefusedInV1(std::string_view plugin) {
  static constexpr std::array<std::string_view, 4> kRefused = {"AzureDiskLimits", "CinderLimits", "EBSLimits",
                                                               "GCEPDLimits"};
  return std::ranges::find(kRefused, plugin) != kRefused.end();
}

bool ServesPlacement(std::string_view plugin, PlacementPoint point) {
  if (point == PlacementPoint::Generate) return plugin == "TopologyPlacementGenerator";
  return plugin == "NodeResourcesFit" || plugin == "PodGroupPodsCount";
}

bool ServesPlacementOnly(std::string_view plugin) {
  return plugin == "TopologyPlacementGenerator" || plugin == "PodGroupPodsCount";
}

}  // namespace berth::config
