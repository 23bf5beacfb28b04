// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "conformance/case_cluster.h"

namespace berth::conformance {

// Judges one pod and returns the decision in the form of a golden case's `expect`. With `decided`, also stores what
// Decide returned: the `outcome`, and for a placed pod its `choices`, the nodes it may go to.
api::Value Evaluate(CaseCluster& cluster, const framework::PodInfo& pod, api::Value* decided = nullptr);

}  // namespace berth::conformance
