// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_moves.h"

#include "framework/cluster_event.h"
#include "queue/status_nominations.h"

namespace berth::queue {

using framework::EventResource;
using metrics::QueueName;

QueueMoves::QueueMoves(const QueueOptions& options, PreEnqueueGates& gates, QueuePlaces& places, QueueMetrics& metrics,
                       framework::Nominator& nominator, const Clock& clock)
    : options_(options),
      gates_(gates),
      places_(places),
      metrics_(metrics),
      nominator_(nominator),
      clock_(clock),
      backoff_(options.initial_backoff, options.max_backoff, /*aligned=*/options.pop_from_backoff),
      add_label_(Label({EventResource::UnschedulablePod, framework::kAdd})),
      update_label_(Label({EventResource::UnschedulablePod, framework::kUpdate})) {}

void QueueMoves::Stamp(QueuedPod& pod) {
  pod.queued = clock_.Now();
  pod.arrival = ++arrivals_;
  pod.backoff_until = backoff_.EndFor(pod);
}

bool QueueMoves::ToActive(QueuedPod& pod, std::string_view label, bool from_backoff) {
  // A pod that could be popped early passed PreEnqueue when it entered backoff.
  const bool has_passed = from_backoff && options_.pop_from_backoff;
  if (!has_passed && !gates_.LetPass(pod)) {
    pod.was_flushed = false;
    return false;
  }
  if (!pod.first_attempt) pod.first_attempt = clock_.Now();
  places_.PutInLine(pod, Place::Active);
  metrics_.CountIncoming(QueueName::Active, label);
  if (label == add_label_ || label == update_label_) NominateByStatus(nominator_, pod.pod);
  return true;
}

bool QueueMoves::ToBackoff(QueuedPod& pod, std::string_view label) {
  if (options_.pop_from_backoff && !gates_.LetPass(pod)) {
    pod.was_flushed = false;
    return false;
  }
  // Nobody rejected the pod: something broke, and trying early would only strain it further.
  places_.PutInLine(pod, pod.rejectors.none() ? Place::ErrorBackoff : Place::Backoff);
  metrics_.CountIncoming(QueueName::Backoff, label);
  return true;
}

bool QueueMoves::Requeue(QueuedPod& pod, Requeueing requeueing, std::string_view label) {
  const bool backs_off = requeueing == Requeueing::AfterBackoff && backoff_.IsBackingOff(pod, clock_.Now());
  return backs_off ? ToBackoff(pod, label) : ToActive(pod, label, /*from_backoff=*/false);
}

void QueueMoves::Park(QueuedPod& pod, std::string_view label, bool arrives) {
  places_.PutWaiting(pod);
  // Gated pods count as unschedulable ones here, as upstream counts them.
  if (arrives) metrics_.CountIncoming(QueueName::Unschedulable, label);
}

void QueueMoves::RequeueWoken(const std::vector<WaitingIndex::Woken>& woken, std::string_view label) {
  for (const auto& [pod, requeueing] : woken) {
    places_.TakeFromPlace(*pod);
    if (!Requeue(*pod, requeueing, label)) Park(*pod, label, /*arrives=*/true);
  }
}

}  // namespace berth::queue
