// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/feature_gates.h"
#include "framework/extension_point.h"
#include "framework/plugin_args.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace berth::config {

struct PlannedPlugin {
  std::string name;
  int32_t weight = 0;  // Score only; at least 1 there
};

// One profile with everything resolved: which plugins run at each extension point, in which order, with which
// arguments. The runtime builds from it.
struct ProfilePlan {
  std::string scheduler_name;
  std::optional<int32_t> percentage_of_nodes_to_score;
  std::array<std::vector<PlannedPlugin>, framework::kExtensionPoints.size()> points;
  std::map<std::string, framework::PluginArgsPtr, std::less<>> args;  // by plugin name
  features::FeatureGates features;                                    // the same in all plans of a program

  const std::vector<PlannedPlugin>& at(framework::ExtensionPoint point) const {
    return points[static_cast<size_t>(point)];
  }
  std::vector<PlannedPlugin>& at(framework::ExtensionPoint point) { return points[static_cast<size_t>(point)]; }
};

}  // namespace berth::config
