// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"
#include "plugins/pod_topology_spread/constraint.h"

#include <vector>

namespace berth::plugins::spread {

// The events that may help a pod the plugin rejected. The source outlives the hints.
std::vector<framework::ClusterEventWithHint> EventsToRegister(const ConstraintSource& source);

}  // namespace berth::plugins::spread
