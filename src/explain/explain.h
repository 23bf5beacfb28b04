// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "cluster/cluster_state.h"
#include "config/profile_plan.h"
#include "explain/explanation.h"
#include "framework/pod_info.h"
#include "framework/registry.h"
#include "queue/nominated_pods.h"

namespace berth::explain {

// The cluster to explain against. Never modified: everything happens on a fork.
struct Situation {
  const cluster::ClusterState& cluster;
  const queue::NominatedPods& nominations;
  const config::ProfilePlan& plan;  // of the profile responsible for the pod
  const framework::Registry& registry;
  const Clock& clock;
};

// Explains where the pod can go and why not elsewhere, with all other pods as they are. A running pod is removed first:
// the answer is what would be decided now. Fails when the profile cannot be built or a plugin returns an error.
Result<Explanation> Explain(const Situation& situation, const framework::PodInfoPtr& pod);

}  // namespace berth::explain
