// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"
#include "framework/extension_points/pre_enqueue.h"

#include <string>
#include <vector>

namespace berth::queue {

// What the queue must know of a profile: who may gate its pods, and which events wake pods that a plugin rejected.
struct QueueProfile {
  struct Plugin {
    std::string name;
    const framework::PreEnqueuePlugin* pre_enqueue = nullptr;  // null when the plugin does not gate
    std::vector<framework::ClusterEventWithHint> events;
  };
  std::string scheduler_name;
  std::vector<Plugin> plugins;
};

}  // namespace berth::queue
