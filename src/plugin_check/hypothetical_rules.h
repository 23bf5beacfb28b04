// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/cluster_state.h"
#include "conformance/dice.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "plugin_check/plugin_report.h"
#include "plugin_check/prepared_pod.h"

#include <optional>
#include <string_view>

namespace berth::plugin_check {

// Preemption and nominated pods ask what would be if a node had a pod more or less: they change a copy of the node and
// of the state, tell PreFilter's AddPod or RemovePod, and ask Filter. Compares that with a cluster that really has the
// pod more or less, and a PreFilter of its own.
class HypotheticalRules {
 public:
  // Everything lent outlives this.
  HypotheticalRules(const CheckedPlugin& plugin, cluster::ClusterState& cluster, conformance::Dice& dice,
                    PluginReport& report)
      : plugin_(plugin), cluster_(cluster), dice_(dice), report_(report) {}

  // About some nodes with pods. The cluster is changed meanwhile, and then as it was.
  void Check(const framework::PodInfo& pod);

 private:
  void CheckNode(const framework::PodInfo& pod, framework::NodeId id);
  // What Filter says of the node as it is; nothing where a scheduler would not ask.
  std::optional<framework::Status> Really(const PreparedPod& prepared, const framework::PodInfo& pod,
                                          framework::NodeId id) const;
  // The same with a pod more or less, by the state of a cluster without that difference.
  enum class Change : bool { Add, Remove };
  std::optional<framework::Status> WhatIf(const PreparedPod& prepared, const framework::PodInfo& pod,
                                          framework::NodeId id, Change change, const framework::PodInfoPtr& other);
  void Compare(std::string_view what, const framework::PodInfo& pod, const framework::PodInfo& other,
               std::string_view node, const std::optional<framework::Status>& what_if,
               const std::optional<framework::Status>& really);

  const CheckedPlugin& plugin_;
  cluster::ClusterState& cluster_;
  conformance::Dice& dice_;
  PluginReport& report_;
};

}  // namespace berth::plugin_check
