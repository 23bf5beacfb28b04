// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"

#include <vector>

namespace berth::plugins::affinity {

// The events that may help a pod the plugin rejected.
std::vector<framework::ClusterEventWithHint> EventsToRegister();

}  // namespace berth::plugins::affinity
