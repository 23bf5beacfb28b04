// SPDX-License-Identifier: Apache-2.0
#include "config/known_plugins.h"

#include <algorithm>
#include <array>

namespace berth::config {

std::vector<PluginRef> DefaultMultiPoint() {
  return {{"SchedulingGates"},
          {"PrioritySort"},
          {"NodeUnschedulable"},
          {"NodeName"},
          {"TaintToleration", 3},
          {"NodeAffinity", 2},
          {"NodePorts"},
          {"NodeResourcesFit", 1},
          {"VolumeRestrictions"},
          {"NodeVolumeLimits"},
          {"VolumeBinding"},
          {"VolumeZone"},
          {"PodTopologySpread", 2},
          {"InterPodAffinity", 2},
          {"DynamicResources", 2},
          {"DefaultPreemption"},
          {"NodeResourcesBalancedAllocation", 1},
          {"ImageLocality", 1},
          {"DefaultBinder"},
          {"NodeDeclaredFeatures"}};
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
