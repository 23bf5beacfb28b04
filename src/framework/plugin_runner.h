// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/status.h"

namespace berth::framework {

// Runs the profile's own plugins for a plugin that asks what-if questions: preemption, for one.
class PluginRunner {
 public:
  virtual ~PluginRunner() = default;
  // Filters one node, counting pods of equal or higher priority that are nominated to it.
  virtual Status RunFilterPluginsWithNominatedPods(const CycleState& state, const PodInfo& pod,
                                                   const NodeInfo& node) const = 0;
  virtual Status RunPreFilterAddPod(CycleState& state, const PodInfo& pod, const PodInfo& added,
                                    const NodeInfo& node) const = 0;
  virtual Status RunPreFilterRemovePod(CycleState& state, const PodInfo& pod, const PodInfo& removed,
                                       const NodeInfo& node) const = 0;
};

}  // namespace berth::framework
