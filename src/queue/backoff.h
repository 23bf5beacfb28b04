// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "queue/queued_pod.h"

#include <chrono>
#include <cstdint>

namespace berth::queue {

// Pods whose penalties end in the same second are ready together, best first.
inline constexpr Duration kBackoffWindow = std::chrono::seconds(1);

// How long a pod that failed must wait before it is tried again. Immutable.
class Backoff {
 public:
  // No penalties at all when `max` is zero. They end at whole seconds when `aligned`.
  Backoff(Duration initial, Duration max, bool aligned = true) : initial_(initial), max_(max), aligned_(aligned) {}

  // The penalty after the nth failure: doubled each time, up to the maximum.
  Duration After(uint32_t failures) const;
  // When the pod's penalty ends, by its counts and the time it came back; Timestamp::min() when it has none.
  Timestamp EndFor(const QueuedPod& pod) const;
  // When aligned, also true during the whole second in which the penalty ends.
  bool IsBackingOff(const QueuedPod& pod, Timestamp now) const;
  // The first whole second at which the pod no longer backs off: pods are let go at whole seconds, whenever within one
  // somebody looks. It has a penalty.
  static Timestamp ReadyAt(const QueuedPod& pod);

 private:
  Duration initial_;
  Duration max_;
  bool aligned_;
};

}  // namespace berth::queue
