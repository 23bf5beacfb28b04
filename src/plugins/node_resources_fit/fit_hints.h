// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"
#include "framework/pod_info.h"
#include "framework/resource.h"

#include <vector>

namespace berth::plugins {

// What makes a pod that lacked resources worth another try: a pod that goes or shrinks, a node that comes or grows.
// The names outlive the hints.
std::vector<framework::ClusterEventWithHint> FitEvents(const framework::ResourceNames& names,
                                                       const framework::PodRules& rules);

}  // namespace berth::plugins
