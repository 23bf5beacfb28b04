// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"

#include <vector>

namespace berth::framework {

// Names the events after which a pod this plugin rejected is worth another try. Asked once, at start-up; a plugin
// without it is woken by every event.
class EnqueueExtensions {
 public:
  virtual std::vector<ClusterEventWithHint> EventsToRegister() const = 0;

 protected:
  ~EnqueueExtensions() = default;  // never deleted through this base
};

}  // namespace berth::framework
