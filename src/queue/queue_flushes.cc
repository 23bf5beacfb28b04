// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_metrics.h"
#include "queue/scheduling_queue_impl.h"

#include <algorithm>
#include <chrono>

namespace berth::queue {
namespace {

// How often pods are sought that have waited too long.
constexpr Duration kFlushPeriod = std::chrono::seconds(30);

template <typename Line>
void CollectReady(const Line& line, std::optional<Timestamp>& earliest) {
  if (line.empty()) return;
  const Timestamp ready = Backoff::ReadyAt(*line.First());
  if (!earliest || ready < *earliest) earliest = ready;
}

}  // namespace

void SchedulingQueue::Impl::Tick() {
  const Timestamp now = clock_.Now();
  FlushBackoff(now);
  FlushWaiting(now);
  ReportSizes();
}

std::optional<Timestamp> SchedulingQueue::Impl::NextTick() const {
  std::optional<Timestamp> next = NextWaitingFlush();
  CollectReady(backing_off_, next);
  CollectReady(after_error_, next);
  return next;
}

// Pods are let go at whole seconds, so it does not matter when within a second this happens.
void SchedulingQueue::Impl::FlushBackoff(Timestamp now) {
  const auto is_ready = [&](const QueuedPod& pod) {
    // A penalty that ends further ahead than any lasts was given before the clock was set back.
    return Backoff::ReadyAt(pod) <= now || pod.backoff_until - now > options_.max_backoff;
  };
  const auto flush = [&](const auto& line) {
    while (!line.empty() && is_ready(*line.First())) {
      QueuedPod& pod = *line.First();
      TakeFromPlace(pod);
      if (!MoveToActive(pod, kBackoffComplete, /*from_backoff=*/true)) Park(pod, kBackoffComplete, /*arrives=*/true);
    }
  };
  flush(backing_off_);
  flush(after_error_);
}

void SchedulingQueue::Impl::FlushWaiting(Timestamp now) {
  // A moment further ahead than the period was set before the clock was set back.
  if (next_waiting_flush_ - now > kFlushPeriod) next_waiting_flush_ = now;
  if (now < next_waiting_flush_) return;
  next_waiting_flush_ += kFlushPeriod * ((now - next_waiting_flush_) / kFlushPeriod + 1);
  // Likewise, a pod that began to wait in what is now the future is flushed rather than left there.
  const auto waits_too_long = [&](Timestamp since) {
    return since > now ? since - now > kFlushPeriod : now - since > options_.max_unschedulable;
  };
  if (waiting_.size() == 0 || !waits_too_long(idle_since_)) return;

  std::vector<WaitingIndex::Woken> woken;
  idle_since_ = Timestamp::max();
  waiting_.ForEach([&](QueuedPod& pod) {
    if (!waits_too_long(IdleSince(pod))) {
      idle_since_ = std::min(idle_since_, IdleSince(pod));
      return;
    }
    pod.was_flushed = true;
    pod.flushed = now;
    woken.push_back({&pod, Requeueing::AfterBackoff});
  });
  if (woken.empty()) return;
  std::sort(woken.begin(), woken.end(), [](const auto& a, const auto& b) { return a.pod->arrival < b.pod->arrival; });
  const EventInterest& timeout = interests_.unschedulable_timeout();
  RequeueWoken(woken, timeout.label);
  in_flight_.Note({timeout});
}

std::optional<Timestamp> SchedulingQueue::Impl::NextWaitingFlush() const {
  if (waiting_.size() == 0 || options_.max_unschedulable >= Timestamp::max() - idle_since_) return std::nullopt;
  const Timestamp too_long = idle_since_ + options_.max_unschedulable;
  if (too_long < next_waiting_flush_) return next_waiting_flush_;
  return next_waiting_flush_ + kFlushPeriod * ((too_long - next_waiting_flush_) / kFlushPeriod + 1);
}

}  // namespace berth::queue
