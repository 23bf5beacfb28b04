// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/status.h"
#include "metrics/scheduler_metrics.h"
#include "queue/queue_profile.h"
#include "queue/queued_pod.h"

#include <cstdint>
#include <vector>

namespace berth::queue {

// Asks the PreEnqueue plugins of a pod's profile. Engine thread only.
class PreEnqueueGates {
 public:
  // Both outlive this; `metrics` may be null.
  PreEnqueueGates(const std::vector<QueueProfile>& profiles, metrics::SchedulerMetrics* metrics);

  // Whether the pod may be tried. If not, the plugin that gates it becomes one of its rejectors. The plugin that gated
  // it last is asked first: most often it still does.
  bool LetPass(QueuedPod& pod);

 private:
  framework::Code AskAll(QueuedPod& pod);
  framework::Code Ask(QueuedPod& pod, size_t plugin) const;
  framework::Code AskMeasured(const QueuedPod& pod, size_t plugin) const;

  const std::vector<QueueProfile>& profiles_;
  metrics::SchedulerMetrics* metrics_;
  std::vector<std::vector<size_t>> gates_;  // by profile, the plugins that gate
  uint64_t runs_ = 0;
};

}  // namespace berth::queue
