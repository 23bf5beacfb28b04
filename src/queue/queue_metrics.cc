// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_metrics.h"

namespace berth::queue {

void CountRejectors(metrics::SchedulerMetrics* metrics, const QueueProfile& profile, const QueuedPod& pod,
                    int64_t delta) {
  if (metrics == nullptr) return;
  for (size_t i = 0; i < profile.plugins.size(); ++i) {
    if (pod.rejectors.test(i)) metrics->AddUnschedulable(profile.plugins[i].name, profile.scheduler_name, delta);
  }
}

}  // namespace berth::queue
