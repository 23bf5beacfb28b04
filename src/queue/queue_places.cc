// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_places.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace berth::queue {
namespace {

constexpr auto kByArrival = [](const QueuedPod* a, const QueuedPod* b) { return a->arrival < b->arrival; };

}  // namespace

QueuePlaces::QueuePlaces(const framework::QueueSortPlugin& order, bool backoff_in_seconds,
                         const EventInterestTable& interests, TrackOf track_of)
    : track_of_(std::move(track_of)),
      active_(QueueSortOrder{&order}),
      backing_off_(BackoffOrder{{&order}, backoff_in_seconds}),
      after_error_(ErrorBackoffOrder{}),
      waiting_(interests) {}

void QueuePlaces::ForEach(const std::function<void(const QueuedPod&)>& visit) const {
  std::vector<const QueuedPod*> pods;
  pods.reserve(pods_.size());
  pods_.ForEach([&](const QueuedPod& pod) { pods.push_back(&pod); });
  std::sort(pods.begin(), pods.end(), kByArrival);
  for (const QueuedPod* pod : pods) visit(*pod);
}

QueuedPodPtr QueuePlaces::Release(QueuedPod& pod) {
  TakeFromPlace(pod);
  return pods_.Take(pod);
}

void QueuePlaces::TakeFromPlace(QueuedPod& pod) {
  switch (std::exchange(pod.place, Place::None)) {
    case Place::Active: active_.Erase(pod); break;
    case Place::Backoff: backing_off_.Erase(pod); break;
    case Place::ErrorBackoff: after_error_.Erase(pod); break;
    case Place::Gated: --gated_; [[fallthrough]];
    case Place::Unschedulable: waiting_.Erase(pod); break;
    case Place::None:
    case Place::InFlight: break;
  }
}

void QueuePlaces::PutInLine(QueuedPod& pod, Place place) {
  pod.place = place;
  if (track_of_) pod.track = track_of_(*pod.pod);
  switch (place) {
    case Place::Active: active_.Push(pod); break;
    case Place::Backoff: backing_off_.Push(pod); break;
    case Place::ErrorBackoff: after_error_.Push(pod); break;
    default: BERTH_CHECK(false);
  }
}

void QueuePlaces::PutWaiting(QueuedPod& pod) {
  const bool gated = pod.gating_plugin >= 0;
  if (gated) ++gated_;
  pod.place = gated ? Place::Gated : Place::Unschedulable;
  if (!has_waiting()) idle_since_ = Timestamp::max();
  waiting_.Insert(pod);
  idle_since_ = std::min(idle_since_, IdleSince(pod));
}

std::vector<QueuedPod*> QueuePlaces::FindIdle(const std::function<bool(Timestamp)>& is_too_long_ago) {
  std::vector<QueuedPod*> idle;
  idle_since_ = Timestamp::max();
  waiting_.ForEach([&](QueuedPod& pod) {
    if (is_too_long_ago(IdleSince(pod))) {
      idle.push_back(&pod);
    } else {
      idle_since_ = std::min(idle_since_, IdleSince(pod));
    }
  });
  std::sort(idle.begin(), idle.end(), kByArrival);
  return idle;
}

QueuePlaces::Sizes QueuePlaces::sizes() const {
  return {.active = active_.size(),
          .backoff = backing_off_.size() + after_error_.size(),
          .unschedulable = waiting_.size() - gated_,
          .gated = gated_};
}

}  // namespace berth::queue
