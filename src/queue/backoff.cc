// SPDX-License-Identifier: Apache-2.0
#include "queue/backoff.h"

namespace berth::queue {
namespace {

Timestamp StartOfWindow(Timestamp moment) { return std::chrono::floor<std::chrono::seconds>(moment); }

}  // namespace

Duration Backoff::After(uint32_t failures) const {
  if (failures == 0) return Duration::zero();
  const uint32_t doublings = failures - 1;
  if (doublings >= 63 || initial_.count() > (max_.count() >> doublings)) return max_;
  return Duration(initial_.count() << doublings);
}

Timestamp Backoff::EndFor(const QueuedPod& pod) const {
  const uint32_t failures = pod.error_count > 0 ? pod.error_count : pod.unschedulable_count;
  if (max_ == Duration::zero() || failures == 0) return Timestamp::min();
  const Timestamp end = pod.queued + After(failures);
  return aligned_ ? StartOfWindow(end) : end;
}

bool Backoff::IsBackingOff(const QueuedPod& pod, Timestamp now) const {
  return pod.backoff_until >= (aligned_ ? StartOfWindow(now) : now);
}

Timestamp Backoff::ReadyAt(const QueuedPod& pod) { return StartOfWindow(pod.backoff_until) + kBackoffWindow; }

}  // namespace berth::queue
