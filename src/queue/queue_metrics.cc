// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_metrics.h"

#include <utility>

namespace berth::queue {

using metrics::QueueName;

void QueueMetrics::CountIncoming(QueueName queue, std::string_view label) {
  if (metrics_ != nullptr) metrics_->Incoming(queue, label);
}

void QueueMetrics::CountRejectors(const QueuedPod& pod, int64_t delta) {
  if (metrics_ == nullptr) return;
  const QueueProfile& profile = profiles_[pod.profile];
  for (size_t i = 0; i < profile.plugins.size(); ++i) {
    if (pod.rejectors.test(i)) metrics_->AddUnschedulable(profile.plugins[i].name, profile.scheduler_name, delta);
  }
}

void QueueMetrics::ReportSizes(const QueuePlaces& places) {
  if (metrics_ == nullptr) return;
  const QueuePlaces::Sizes now = places.sizes();
  const auto report = [&](QueueName queue, size_t& before, size_t after) {
    if (std::exchange(before, after) != after) metrics_->SetPending(queue, after);
  };
  report(QueueName::Active, reported_.active, now.active);
  report(QueueName::Backoff, reported_.backoff, now.backoff);
  report(QueueName::Unschedulable, reported_.unschedulable, now.unschedulable);
  report(QueueName::Gated, reported_.gated, now.gated);
}

}  // namespace berth::queue
