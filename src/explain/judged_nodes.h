// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/explanation.h"
#include "runtime/cycle.h"
#include "runtime/profile.h"

#include <vector>

namespace berth::explain {

// How the nodes dwindled, step by step, as a filtered cycle has it. The rejections add up to the nodes that are gone.
std::vector<FunnelStep> FunnelOf(const runtime::Profile& profile, const runtime::Cycle& cycle);

// Every node that cannot take the pod with all plugins that object, the closest first. Runs each Filter plugin alone;
// PreFilter and Filter must have been run on `cycle`.
std::vector<RejectedNode> RejectedNodes(const runtime::Profile& profile, const runtime::Cycle& cycle,
                                        const framework::PodInfo& pod);

}  // namespace berth::explain
