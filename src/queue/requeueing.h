// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "metrics/scheduler_metrics.h"
#include "metrics/stopwatch.h"
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
  // Tells the metrics of the hints that are asked while it lives. They are asked by the thousand, and looking at the
  // clock for each would cost more than they do: they are timed together, and each counts with the average.
  class Timing {
   public:
    explicit Timing(const HintJudge& judge) : judge_(judge) {}
    ~Timing() { judge_.TellMetrics(watch_.Elapsed()); }
    Timing(const Timing&) = delete;
    Timing& operator=(const Timing&) = delete;

   private:
    const HintJudge& judge_;
    const metrics::Stopwatch watch_;
  };

  // Both outlive the judge; `metrics` may be null.
  HintJudge(const std::vector<QueueProfile>& profiles, metrics::SchedulerMetrics* metrics)
      : profiles_(profiles), metrics_(metrics) {}

  // For one pod, whatever it is.
  Requeueing Judge(const QueuedPod& pod, const Happening& happening) const;
  // Whether the hint of one registration of the pod's profile says Queue.
  bool SaysQueue(const EventInterest::Registration& registration, const QueuedPod& pod,
                 const Happening& happening) const;

 private:
  // How often one hint has given one answer to one event since metrics were told.
  struct Tally {
    const EventInterest* event = nullptr;
    uint32_t profile = 0;
    size_t plugin = 0;
    metrics::HintResult result = metrics::HintResult::Queue;
    uint64_t times = 0;
  };
  void Count(const EventInterest& event, uint32_t profile, size_t plugin, metrics::HintResult result) const;
  void TellMetrics(Duration took) const;

  const std::vector<QueueProfile>& profiles_;
  metrics::SchedulerMetrics* metrics_;
  mutable std::vector<Tally> tallies_;  // the one counted last is at the end
};

}  // namespace berth::queue
