// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/scheduler_metrics.h"
#include "queue/queue_places.h"
#include "queue/queue_profile.h"
#include "queue/queued_pod.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace berth::queue {

// Why a pod moved, where no cluster event did it.
inline constexpr std::string_view kScheduleAttemptFailure = "ScheduleAttemptFailure";
inline constexpr std::string_view kBackoffComplete = "BackoffComplete";
inline constexpr std::string_view kPopFromBackoffQ = "PopFromBackoffQ";

// What the queue tells metrics, if there are any. Engine thread only.
class QueueMetrics {
 public:
  // Both outlive this; `metrics` may be null.
  QueueMetrics(const std::vector<QueueProfile>& profiles, metrics::SchedulerMetrics* metrics)
      : profiles_(profiles), metrics_(metrics) {}

  // A pod comes to the place that metrics call `queue`, because of what `label` names.
  void CountIncoming(metrics::QueueName queue, std::string_view label);
  // Counts `delta` for every plugin that rejected the pod.
  void CountRejectors(const QueuedPod& pod, int64_t delta);
  // Reports the sizes that have changed since they were last reported.
  void ReportSizes(const QueuePlaces& places);

 private:
  const std::vector<QueueProfile>& profiles_;
  metrics::SchedulerMetrics* metrics_;
  QueuePlaces::Sizes reported_;
};

}  // namespace berth::queue
