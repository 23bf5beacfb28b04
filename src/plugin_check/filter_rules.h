// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "cluster/cluster_state.h"
#include "conformance/dice.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "framework/verdicts.h"
#include "plugin_check/plugin_report.h"
#include "plugin_check/prepared_pod.h"

#include <vector>

namespace berth::plugin_check {

// Asks a plugin's PreFilter and Filter about pods, in both forms, more than once and in another order.
class FilterRules {
 public:
  // Everything lent outlives this.
  FilterRules(const CheckedPlugin& plugin, cluster::ClusterState& cluster, conformance::Dice& dice,
              PluginReport& report)
      : plugin_(plugin), cluster_(cluster), dice_(dice), report_(report) {}

  // The nodes that the plugin lets the pod have. `answer` and the report are told what was found.
  Bitset Check(const framework::PodInfo& pod, PodAnswer& answer);

 private:
  void CheckPreFilter(const framework::PodInfo& pod, const PreparedPod& first);
  // By NodeId, of all nodes.
  std::vector<framework::Status> AskEveryNode(const framework::PodInfo& pod, const PreparedPod& prepared);
  void CheckColumns(const framework::PodInfo& pod, const PreparedPod& prepared, const Bitset& candidates,
                    const std::vector<framework::Status>& plain);
  void CompareColumns(const framework::PodInfo& pod, const framework::Verdicts& verdicts, const Bitset& candidates,
                      const std::vector<framework::Status>& plain);

  const CheckedPlugin& plugin_;
  cluster::ClusterState& cluster_;
  conformance::Dice& dice_;
  PluginReport& report_;
};

}  // namespace berth::plugin_check
