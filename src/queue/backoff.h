// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "queue/queued_pod.h"

#include <chrono>
#include <cstdint>

namespace berth::queue {

// Penalties end at whole seconds. Pods whose penalties end in the same second are ready together, best first.
inline constexpr Duration kBackoffWindow = std::chrono::seconds(1);

// How long a pod that failed must wait before it is tried again. Immutable.
class Backoff {
 public:
  // No penalties at all when `max` is zero.
  Backoff(Duration initial, Duration max) : initial_(initial), max_(max) {}

  // The penalty after the nth failure: doubled each time, up to the maximum.
  Duration After(uint32_t failures) const;
  // When the pod's penalty ends, by its counts and the time it came back; Timestamp::min() when it has none.
  Timestamp EndFor(const QueuedPod& pod) const;
  // Also true during the whole second in which the penalty ends.
  static bool IsBackingOff(const QueuedPod& pod, Timestamp now);
  // The first moment at which the pod no longer backs off. It has a penalty.
  static Timestamp ReadyAt(const QueuedPod& pod) { return pod.backoff_until + kBackoffWindow; }

 private:
  Duration initial_;
  Duration max_;
};

}  // namespace berth::queue
