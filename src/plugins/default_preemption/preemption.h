// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "framework/cluster_view.h"
#include "framework/fit_error.h"
#include "framework/handle.h"
#include "framework/verdicts.h"
#include "plugins/default_preemption/victims.h"

#include <string>
#include <vector>

namespace berth::plugins {

// What a search for victims over the cluster found.
struct PreemptionSearch {
  std::vector<PreemptionCandidate> candidates;  // those that break no budget first
  framework::ReasonCounts reasons;              // why it does not help, over all nodes that are no candidates
  framework::Status error;                      // set when a node could not be judged
};

// Why this pod must not evict others, or "" when it may.
std::string PreemptionForbidden(const framework::ClusterView& cluster, const framework::PodInfo& pod,
                                const framework::Verdicts& verdicts);

// Tries nodes that rejected the pod in a way eviction can mend, from a chance start on, until enough candidates are
// found: `wanted` of them, at least one breaking no budget. Zero wants all.
PreemptionSearch FindCandidates(framework::Handle& handle, const framework::CycleState& state,
                                const framework::PodInfo& pod, const framework::Verdicts& verdicts, size_t start,
                                size_t wanted);

// How many nodes could be mended by eviction.
size_t CountMendableNodes(const framework::Verdicts& verdicts);

}  // namespace berth::plugins
