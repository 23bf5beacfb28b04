// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_flushes.h"

#include "queue/queue_metrics.h"

#include <chrono>
#include <vector>

namespace berth::queue {
namespace {

// How often pods are sought that have waited too long.
constexpr Duration kFlushPeriod = std::chrono::seconds(30);

}  // namespace

QueueFlushes::QueueFlushes(const QueueOptions& options, const EventInterestTable& interests, QueuePlaces& places,
                           QueueMoves& moves, InFlight& in_flight, Timestamp now)
    : options_(options),
      interests_(interests),
      places_(places),
      moves_(moves),
      in_flight_(in_flight),
      next_waiting_flush_(now) {}

void QueueFlushes::Flush(Timestamp now) {
  FlushBackoff(now);
  FlushWaiting(now);
}

std::optional<Timestamp> QueueFlushes::NextFlush() const {
  std::optional<Timestamp> next = NextWaitingFlush();
  for (const QueuedPod* pod : {places_.backing_off().First(), places_.after_error().First()}) {
    if (pod == nullptr) continue;
    const Timestamp ready = Backoff::ReadyAt(*pod);
    if (!next || ready < *next) next = ready;
  }
  return next;
}

// Pods are let go at whole seconds, so it does not matter when within a second this happens.
void QueueFlushes::FlushBackoff(Timestamp now) {
  const auto is_ready = [&](const QueuedPod& pod) {
    // A penalty that ends further ahead than any lasts was given before the clock was set back.
    return Backoff::ReadyAt(pod) <= now || pod.backoff_until - now > options_.max_backoff;
  };
  const auto flush = [&](const auto& line) {
    while (!line.empty() && is_ready(*line.First())) {
      QueuedPod& pod = *line.First();
      places_.TakeFromPlace(pod);
      if (!moves_.ToActive(pod, kBackoffComplete, /*from_backoff=*/true)) {
        moves_.Park(pod, kBackoffComplete, /*arrives=*/true);
      }
    }
  };
  flush(places_.backing_off());
  flush(places_.after_error());
}

void QueueFlushes::FlushWaiting(Timestamp now) {
  // A moment further ahead than the period was set before the clock was set back.
  if (next_waiting_flush_ - now > kFlushPeriod) next_waiting_flush_ = now;
  if (now < next_waiting_flush_) return;
  next_waiting_flush_ += kFlushPeriod * ((now - next_waiting_flush_) / kFlushPeriod + 1);
  // Likewise, a pod that began to wait in what is now the future is flushed rather than left there.
  const auto is_too_long_ago = [&](Timestamp since) {
    return since > now ? since - now > kFlushPeriod : now - since > options_.max_unschedulable;
  };
  if (!places_.has_waiting() || !is_too_long_ago(places_.idle_since())) return;

  std::vector<WaitingIndex::Woken> woken;
  for (QueuedPod* pod : places_.FindIdle(is_too_long_ago)) {
    pod->was_flushed = true;
    pod->flushed = now;
    woken.push_back({pod, Requeueing::AfterBackoff});
  }
  if (woken.empty()) return;
  const EventInterest& timeout = interests_.unschedulable_timeout();
  moves_.RequeueWoken(woken, timeout.label);
  in_flight_.Note({timeout});
}

std::optional<Timestamp> QueueFlushes::NextWaitingFlush() const {
  if (!places_.has_waiting() || options_.max_unschedulable >= Timestamp::max() - places_.idle_since()) {
    return std::nullopt;
  }
  const Timestamp too_long = places_.idle_since() + options_.max_unschedulable;
  if (too_long < next_waiting_flush_) return next_waiting_flush_;
  return next_waiting_flush_ + kFlushPeriod * ((too_long - next_waiting_flush_) / kFlushPeriod + 1);
}

}  // namespace berth::queue
