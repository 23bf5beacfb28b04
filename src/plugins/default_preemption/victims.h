// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/workloads.h"
#include "base/clock.h"
#include "framework/cycle_state.h"
#include "framework/node_info.h"
#include "framework/plugin_runner.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <span>
#include <string>
#include <vector>

namespace berth::plugins {

// A node where the pod would fit if these pods went, the most important first.
struct PreemptionCandidate {
  framework::NodeId node = framework::kNoNode;
  std::string node_name;
  std::vector<framework::PodInfoPtr> victims;
  int64_t pdb_violations = 0;
};

// Higher priority first, then the one that has been running longer. Pods that have not started count as starting `now`.
bool IsMoreImportant(const api::Pod& a, const api::Pod& b, Timestamp now);
Timestamp StartTimeOf(const api::Pod& pod, Timestamp now);

// Finds as few and as unimportant victims as possible on one node: all pods of lower priority are taken off a copy of
// it, and brought back one by one, those first whose eviction would break a disruption budget, as long as the pod still
// fits. Success fills `candidate`; any other status says why preemption does not help here. `state` is a clone for this
// node.
framework::Status SelectVictims(const framework::PluginRunner& runner, framework::CycleState& state,
                                const framework::PodInfo& pod, framework::NodeInfo node,
                                std::span<const api::PodDisruptionBudget* const> budgets, Timestamp now,
                                PreemptionCandidate& candidate);

}  // namespace berth::plugins
