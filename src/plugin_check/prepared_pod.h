// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "cluster/cluster_state.h"
#include "framework/cycle_state.h"
#include "framework/plugin.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "plugin_check/plugin_report.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace berth::plugin_check {

// One plugin and where it stands: a point that the configuration leaves out is not asked.
struct CheckedPlugin {
  std::string_view name;
  const framework::PluginInstance& instance;
  bool at_pre_filter = false;
  bool at_filter = false;
  bool at_pre_score = false;
  bool at_score = false;
};

// How PreFilter ended for a pod, and what it left for the points that follow.
struct PreparedPod {
  framework::CycleState state;
  framework::Status status;
  std::optional<std::set<std::string>> node_names;

  bool skips_filter() const { return status.is_skip(); }
  bool goes_on() const { return status.ok() || status.is_skip(); }
  bool Names(const std::string& node) const { return !node_names || node_names->contains(node); }
};

// Begins a cycle and runs the plugin's PreFilter, if it is enabled.
PreparedPod Prepare(const CheckedPlugin& plugin, const framework::PodInfo& pod, cluster::ClusterState& cluster);

// "Unschedulable: reason, reason".
std::string StatusText(const framework::Status& status);
// Whether two answers say the same: codes and reasons.
bool SayTheSame(const framework::Status& a, const framework::Status& b);

}  // namespace berth::plugin_check
