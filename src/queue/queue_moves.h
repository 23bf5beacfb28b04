// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/nominator.h"
#include "queue/backoff.h"
#include "queue/pre_enqueue_gates.h"
#include "queue/queue_metrics.h"
#include "queue/queue_options.h"
#include "queue/queue_places.h"
#include "queue/queued_pod.h"
#include "queue/requeueing.h"
#include "queue/waiting_index.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::queue {

// Decides where a pod goes: PreEnqueue plugins may gate it, a penalty may keep it from the active line. A pod that is
// to move has been taken from its place first, and is in none. Labels name what moved it. Engine thread only.
class QueueMoves {
 public:
  // Everything outlives this.
  QueueMoves(const QueueOptions& options, PreEnqueueGates& gates, QueuePlaces& places, QueueMetrics& metrics,
             framework::Nominator& nominator, const Clock& clock);

  // The labels of a pod that comes from outside, or changes there.
  std::string_view add_label() const { return add_label_; }
  std::string_view update_label() const { return update_label_; }

  // The pod arrives now: sets its time, its number and the end of its penalty.
  void Stamp(QueuedPod& pod);

  // False when the pod is gated; then it is still in no place.
  bool ToActive(QueuedPod& pod, std::string_view label, bool from_backoff);
  // To Active or Backoff; false when the pod is gated, then it is still in no place. `requeueing` is not Skip.
  bool Requeue(QueuedPod& pod, Requeueing requeueing, std::string_view label);
  // Puts the pod among the waiting pods. `arrives` is false if it was there before and does not count as incoming.
  void Park(QueuedPod& pod, std::string_view label, bool arrives);
  // Moves pods that wait.
  void RequeueWoken(const std::vector<WaitingIndex::Woken>& woken, std::string_view label);

 private:
  bool ToBackoff(QueuedPod& pod, std::string_view label);

  const QueueOptions& options_;
  PreEnqueueGates& gates_;
  QueuePlaces& places_;
  QueueMetrics& metrics_;
  framework::Nominator& nominator_;
  const Clock& clock_;
  Backoff backoff_;
  std::string add_label_;
  std::string update_label_;
  uint64_t arrivals_ = 0;
};

}  // namespace berth::queue
