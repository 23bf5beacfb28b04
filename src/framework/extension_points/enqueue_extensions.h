// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"

#include <vector>

namespace berth::framework {

// Lists the events after which a pod that this plugin rejected is worth another attempt. Called once, at startup. For a
// plugin that does not implement this, upstream's default list applies (scheduler/queue_profiles.cc).
class EnqueueExtensions {
 public:
  virtual std::vector<ClusterEventWithHint> EventsToRegister() const = 0;

 protected:
  ~EnqueueExtensions() = default;  // never deleted through this base
};

}  // namespace berth::framework
