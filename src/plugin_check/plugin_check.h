// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/cluster_state.h"
#include "conformance/dice.h"
#include "framework/pod_info.h"
#include "plugin_check/filter_rules.h"
#include "plugin_check/hypothetical_rules.h"
#include "plugin_check/plugin_report.h"
#include "plugin_check/prepared_pod.h"
#include "plugin_check/score_rules.h"
#include "runtime/profile.h"

#include <cstdint>
#include <string>

namespace berth::plugin_check {

// Holds one plugin of a profile to its contract: asks about pods what a scheduler would ask it from PreFilter to
// NormalizeScore, more than once and in every form that it has. One thread.
class PluginCheck {
 public:
  // `profile` has the plugin, was built over `cluster`, and has it alone at its points: see OnlyPlugin. Both outlive
  // this. The seed decides which nodes are asked about when not all are.
  PluginCheck(const runtime::Profile& profile, const std::string& plugin, cluster::ClusterState& cluster,
              uint64_t seed);
  PluginCheck(const PluginCheck&) = delete;
  PluginCheck& operator=(const PluginCheck&) = delete;

  void Ask(const framework::PodInfo& pod);
  const PluginReport& report() const { return report_; }

 private:
  PluginReport report_;
  CheckedPlugin plugin_;
  conformance::Dice dice_;
  FilterRules filter_;
  ScoreRules score_;
  HypotheticalRules hypothetical_;
};

}  // namespace berth::plugin_check
