// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/pod_info.h"

namespace berth::framework {

// A pod in the queue, with what ordering may look at.
struct QueuedPodInfo {
  PodInfoPtr pod;
  Timestamp queued;  // refreshed each time the pod comes back after a failure
  int attempts = 0;
};

// Orders the active queue: exactly one such plugin, the same in every profile.
class QueueSortPlugin {
 public:
  virtual bool Less(const QueuedPodInfo& a, const QueuedPodInfo& b) const = 0;

 protected:
  ~QueueSortPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
