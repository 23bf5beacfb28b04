// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/indexed_cluster.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "framework/verdicts.h"

#include <string>

namespace berth::framework {

// Which node the pod should be nominated to. NoOp leaves an earlier nomination alone; Override with an empty name
// clears it.
struct PostFilterResult {
  enum class Mode { NoOp, Override };
  Status status;
  Mode mode = Mode::NoOp;
  std::string nominated_node;
};

// Runs when no node is feasible, in order: tries to make the pod schedulable, by preemption for one. Engine
// thread. Wait, which only follows from PreemptionReview, runs the whole cycle again later.
class PostFilterPlugin {
 public:
  virtual PostFilterResult PostFilter(CycleState& state, const PodInfo& pod, IndexedCluster& cluster,
                                      const Verdicts& verdicts) = 0;

 protected:
  ~PostFilterPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
