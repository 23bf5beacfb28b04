// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"

#include <vector>

namespace berth::plugins {

// The events after which a pod whose claims found no volumes is worth another try.
std::vector<framework::ClusterEventWithHint> VolumeBindingEvents();

}  // namespace berth::plugins
