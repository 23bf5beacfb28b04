// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "metrics/scheduler_metrics.h"
#include "queue/event_interest.h"
#include "queue/queue_profile.h"
#include "queue/queued_pod.h"

#include <cstdint>
#include <vector>

namespace berth::queue {

// What a pod that waits does after an event.
enum class Requeueing : uint8_t {
  Skip,          // waits on
  AfterBackoff,  // is tried again once its penalty is over
  Immediately,   // is tried again whatever its penalty
};

// An event with the objects it is about; either may be null.
struct Happening {
  const EventInterest& interest;
  const api::Object* before = nullptr;
  const api::Object* after = nullptr;
};

// Asks the hints of the plugins that rejected a pod whether an event can help it. Engine thread only.
class HintJudge {
 public:
  // Both outlive the judge; `metrics` may be null.
  HintJudge(const std::vector<QueueProfile>& profiles, metrics::SchedulerMetrics* metrics)
      : profiles_(profiles), metrics_(metrics) {}

  // For one pod, whatever it is.
  Requeueing Judge(const QueuedPod& pod, const Happening& happening) const;
  // Whether the hint of one registration of the pod's profile says Queue.
  bool SaysQueue(const EventInterest::Registration& registration, const QueuedPod& pod,
                 const Happening& happening) const;

 private:
  const std::vector<QueueProfile>& profiles_;
  metrics::SchedulerMetrics* metrics_;
};

}  // namespace berth::queue
