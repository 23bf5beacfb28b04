// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/indexed_cluster.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <span>

namespace berth::framework {

// Runs once per cycle with two or more feasible nodes, before Score, in order: prepares state. Skip leaves this
// plugin's Score out of the cycle. Engine thread, as PreFilter: here a plugin asks the indexes for what its Score will
// read.
class PreScorePlugin {
 public:
  virtual Status PreScore(CycleState& state, const PodInfo& pod, IndexedCluster& cluster,
                          std::span<const NodeId> feasible) = 0;

 protected:
  ~PreScorePlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
