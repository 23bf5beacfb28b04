// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/explanation.h"
#include "runtime/cycle.h"
#include "runtime/profile.h"

#include <vector>

namespace berth::explain {

// How many nodes each step of a filtered cycle rejected. The rejections add up to all nodes rejected.
std::vector<FunnelStep> FunnelOf(const runtime::Profile& profile, const runtime::Cycle& cycle);

// Every node that does not fit the pod, with all plugins that reject it, closest first. Runs each Filter plugin on its
// own; PreFilter and Filter must have been run on `cycle`.
std::vector<RejectedNode> RejectedNodes(const runtime::Profile& profile, const runtime::Cycle& cycle,
                                        const framework::PodInfo& pod);

}  // namespace berth::explain
