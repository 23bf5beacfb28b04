// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/node_info.h"
#include "framework/pod_info.h"

namespace berth::scheduler {

// Without queueing hints, upstream wakes by a new or changed node only pods that this node could take by itself: enough
// free resources, the required node affinity, host ports, taints. Preemption is not considered, as there.
bool CouldTake(const framework::NodeInfo& node, const framework::PodInfo& pod, bool may_compare_tolerations);

}  // namespace berth::scheduler
