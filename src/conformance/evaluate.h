// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "conformance/case_cluster.h"

namespace berth::conformance {

// Judges one pod and writes down what was decided, in the shape of a golden case's `expect`. With `decided`, also
// writes down what Decide made of it: the `outcome`, and when the pod is placed the nodes that may be its `choices`.
api::Value Evaluate(CaseCluster& cluster, const framework::PodInfo& pod, api::Value* decided = nullptr);

}  // namespace berth::conformance
