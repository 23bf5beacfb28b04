// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/scheduler_metrics.h"
#include "queue/queue_profile.h"
#include "queue/queued_pod.h"

#include <string_view>

namespace berth::queue {

// Why a pod moved, where no cluster event did it.
inline constexpr std::string_view kScheduleAttemptFailure = "ScheduleAttemptFailure";
inline constexpr std::string_view kBackoffComplete = "BackoffComplete";
inline constexpr std::string_view kPopFromBackoffQ = "PopFromBackoffQ";

// Counts `delta` for every plugin that rejected the pod. `metrics` may be null.
void CountRejectors(metrics::SchedulerMetrics* metrics, const QueueProfile& profile, const QueuedPod& pod,
                    int64_t delta);

}  // namespace berth::queue
