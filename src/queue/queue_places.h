// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/extension_points/queue_sort.h"
#include "queue/event_interest.h"
#include "queue/known_pods.h"
#include "queue/queued_pod.h"
#include "queue/requeueing.h"
#include "queue/tracked_line.h"
#include "queue/waiting_index.h"

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::queue {

// The pods in the queue, each in one place: the active line, one of the two lines of those that back off, or among
// those that wait for an event. Owns them. Where a pod belongs is decided elsewhere. Engine thread only.
class QueuePlaces {
 public:
  // QueueSort's order. Ties are broken by arrival, because pods may arrive faster than the clock ticks.
  struct QueueSortOrder {
    const framework::QueueSortPlugin* plugin;
    bool operator()(const QueuedPod& a, const QueuedPod& b) const {
      if (plugin->Less(a, b)) return true;
      if (plugin->Less(b, a)) return false;
      return a.arrival < b.arrival;
    }
  };
  // By the end of the penalty.
  struct BackoffOrder {
    QueueSortOrder then;
    bool in_seconds;
    bool operator()(const QueuedPod& a, const QueuedPod& b) const {
      if (a.backoff_until != b.backoff_until) return a.backoff_until < b.backoff_until;
      return in_seconds ? then(a, b) : a.arrival < b.arrival;
    }
  };
  struct ErrorBackoffOrder {
    bool operator()(const QueuedPod& a, const QueuedPod& b) const {
      return a.backoff_until != b.backoff_until ? a.backoff_until < b.backoff_until : a.arrival < b.arrival;
    }
  };

  // Everything lent outlives this. If penalties end at whole seconds, `backoff_in_seconds`, pods of the same second
  // leave backoff in QueueSort order. With an empty `track_of` all pods are on track 0.
  QueuePlaces(const framework::QueueSortPlugin& order, bool backoff_in_seconds, const EventInterestTable& interests,
              TrackOf track_of);

  // Null when the pod is not here.
  QueuedPod* Find(std::string_view uid) const { return pods_.Find(uid); }
  // In the order in which they arrived.
  void ForEach(const std::function<void(const QueuedPod&)>& visit) const;

  // None of its uid is here. It is in no place yet.
  QueuedPod& Insert(QueuedPodPtr pod) { return pods_.Insert(std::move(pod)); }
  // Hands the pod over, taken from its place.
  QueuedPodPtr Release(QueuedPod& pod);

  void TakeFromPlace(QueuedPod& pod);
  // The pod is in no place; `place` is Active or one of the backoffs.
  void PutInLine(QueuedPod& pod, Place place);
  // The pod is in no place. It becomes Gated if a plugin gates it, Unschedulable otherwise.
  void PutWaiting(QueuedPod& pod);

  const TrackedLine<QueueSortOrder>& active() const { return active_; }
  const TrackedLine<BackoffOrder>& backing_off() const { return backing_off_; }
  const TrackedLine<ErrorBackoffOrder>& after_error() const { return after_error_; }

  // As WaitingIndex::FindWoken.
  std::vector<WaitingIndex::Woken> FindWoken(const Happening& happening, const WaitingIndex::Limits& limits,
                                             const HintJudge& judge) {
    return waiting_.FindWoken(happening, limits, judge);
  }
  bool has_waiting() const { return waiting_.size() > 0; }
  // No waiting pod has been idle for longer than since then.
  Timestamp idle_since() const { return idle_since_; }
  // The waiting pods that have been idle since a time that `is_too_long_ago`, in the order in which they arrived. They
  // stay here, but idle_since forgets them: the caller takes each from its place.
  std::vector<QueuedPod*> FindIdle(const std::function<bool(Timestamp)>& is_too_long_ago);

  struct Sizes {
    size_t active = 0;
    size_t backoff = 0;
    size_t unschedulable = 0;
    size_t gated = 0;
  };
  Sizes sizes() const;

 private:
  const TrackOf track_of_;
  KnownPods pods_;
  TrackedLine<QueueSortOrder> active_;
  TrackedLine<BackoffOrder> backing_off_;
  TrackedLine<ErrorBackoffOrder> after_error_;
  WaitingIndex waiting_;
  size_t gated_ = 0;  // of the waiting pods
  Timestamp idle_since_ = Timestamp::max();
};

}  // namespace berth::queue
