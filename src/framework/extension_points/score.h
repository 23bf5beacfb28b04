// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_view.h"
#include "framework/cycle_state.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/score_column.h"
#include "framework/status.h"

#include <cstdint>

namespace berth::framework {

// Ranks a feasible node. After NormalizeScore every score must lie in [0, 100]; the runtime multiplies by the weight.
// Must not change anything. May be asked about several nodes at once, on several threads: beside its arguments it reads
// what Handle offers to any thread, and what PreScore left in the state.
class ScorePlugin {
 public:
  virtual Result<int64_t> Score(const CycleState& state, const PodInfo& pod, const NodeInfo& node) const = 0;

 protected:
  ~ScorePlugin() = default;  // never deleted through this base
};

// The same over all feasible nodes at once; must reach exactly the scores of Score, and like Score changes nothing.
class ScoreAllPlugin {
 public:
  virtual Status ScoreAll(const CycleState& state, const PodInfo& pod, const ClusterView& cluster,
                          ScoreColumn& scores) const = 0;

 protected:
  ~ScoreAllPlugin() = default;  // never deleted through this base
};

// Turns raw scores into [0, 100] once all are known.
class NormalizeScorePlugin {
 public:
  virtual Status NormalizeScore(const CycleState& state, const PodInfo& pod, ScoreColumn& scores) const = 0;

 protected:
  ~NormalizeScorePlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
