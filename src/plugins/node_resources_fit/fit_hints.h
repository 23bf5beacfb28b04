// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"

#include <vector>

namespace berth::plugins {

// What makes a pod that lacked resources worth another try: a pod that goes or shrinks, a node that comes or grows.
std::vector<framework::ClusterEventWithHint> FitEvents();

}  // namespace berth::plugins
