// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"

#include <vector>

namespace berth::plugins {

// The events after which a pod that met a volume limit, or lacked its claim, is worth another try.
std::vector<framework::ClusterEventWithHint> VolumeLimitEvents();

}  // namespace berth::plugins
