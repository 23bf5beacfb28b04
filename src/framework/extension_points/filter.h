// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_view.h"
#include "framework/cycle_state.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "framework/verdicts.h"

namespace berth::framework {

// Says whether the pod may run on a node. Must not change anything, and must judge the NodeInfo passed in: preemption
// passes nodes with pods removed. May be asked about several nodes at once, on several threads: beside its arguments it
// reads what Handle offers to any thread, and what PreFilter left in the state.
class FilterPlugin {
 public:
  virtual Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) const = 0;

 protected:
  ~FilterPlugin() = default;  // never deleted through this base
};

// The same over all nodes at once, for plugins that care about speed: rejects among verdicts.passing(). It must reach
// exactly the verdicts of Filter, and like Filter changes nothing: what it needs of an index, PreFilter left in the
// state. A status other than Success aborts the cycle.
class FilterAllPlugin {
 public:
  virtual Status FilterAll(const CycleState& state, const PodInfo& pod, const ClusterView& cluster,
                           Verdicts& verdicts) const = 0;

 protected:
  ~FilterAllPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
