// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "cluster/cluster_state.h"
#include "framework/cycle_state.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/score_column.h"
#include "plugin_check/plugin_report.h"
#include "plugin_check/prepared_pod.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace berth::plugin_check {

// Asks a plugin's PreScore, Score and NormalizeScore about pods, in both forms, more than once and in another order.
class ScoreRules {
 public:
  // Everything lent outlives this.
  ScoreRules(const CheckedPlugin& plugin, cluster::ClusterState& cluster, PluginReport& report)
      : plugin_(plugin), cluster_(cluster), report_(report) {}

  // `feasible`: the nodes to score. A scheduler asks about two or more.
  void Check(const framework::PodInfo& pod, const Bitset& feasible, PodAnswer& answer);

 private:
  // What PreScore left; nothing when the plugin is not to be asked further.
  std::optional<framework::CycleState> PreScored(const framework::PodInfo& pod);
  // Nothing when a node's score could not be told.
  std::optional<framework::ScoreColumn> Plain(const framework::CycleState& state, const framework::PodInfo& pod,
                                              bool backwards);
  std::optional<framework::ScoreColumn> Columnar(const framework::CycleState& state, const framework::PodInfo& pod);
  void Compare(std::string_view rule, std::string_view what, const framework::PodInfo& pod,
               const framework::ScoreColumn& one, const framework::ScoreColumn& other);
  bool Normalize(const framework::CycleState& state, const framework::PodInfo& pod, framework::ScoreColumn& scores);
  void Describe(const framework::PodInfo& pod, const framework::ScoreColumn& scores, PodAnswer& answer);

  const CheckedPlugin& plugin_;
  cluster::ClusterState& cluster_;
  PluginReport& report_;
  std::vector<framework::NodeId> feasible_;
};

}  // namespace berth::plugin_check
