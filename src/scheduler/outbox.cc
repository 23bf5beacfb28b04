// SPDX-License-Identifier: Apache-2.0
#include "scheduler/outbox.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler {

Outbox::Outbox(store::Store& store, Inbox& inbox, const Clock& clock, const OutboxOptions& options,
               metrics::SchedulerMetrics* metrics)
    : store_(store), inbox_(inbox), clock_(clock), options_(options), metrics_(metrics), rng_(options.seed) {}

void Outbox::Bind(Attempt& attempt) {
  unanswered_.fetch_add(1, std::memory_order_relaxed);
  bool was_idle = false;
  {
    const MutexLock lock(mutex_);
    was_idle = !std::exchange(requested_, true);
    bindings_.push_back({&attempt, 0, {}, false});
  }
  if (was_idle) arrived_.NotifyOne();
}

void Outbox::PatchStatus(StatusPatch patch) {
  {
    const MutexLock lock(mutex_);
    if (const auto it = patch_of_pod_.find(patch.uid); it != patch_of_pod_.end()) {
      StatusPatch& waiting = it->second->request;
      if (patch.condition) {
        waiting.condition = std::move(patch.condition);
        waiting.observed_generation = patch.observed_generation;
      }
      if (patch.nominated_node) waiting.nominated_node = std::move(patch.nominated_node);
      return;
    }
    requested_ = true;
    std::string uid = patch.uid;
    patches_.push_back({std::move(patch), 0, {}, false});
    patch_of_pod_.emplace(std::move(uid), std::prev(patches_.end()));
  }
  arrived_.NotifyOne();
}

void Outbox::Evict(EvictionRequest request) {
  {
    const MutexLock lock(mutex_);
    requested_ = true;
    ++evictions_for_[request.preemptor_uid];
    evictions_.push_back({std::move(request), 0, {}, false});
  }
  arrived_.NotifyOne();
}

bool Outbox::EvictsFor(std::string_view preemptor_uid) const {
  const MutexLock lock(mutex_);
  return evictions_for_.contains(preemptor_uid);
}

void Outbox::Record(EventNote note) {
  const MutexLock lock(mutex_);
  if (events_.size() >= options_.max_events) {
    dropped_events_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  events_.push_back(std::move(note));
  if (!std::exchange(requested_, true)) arrived_.NotifyOne();
}

void Outbox::SetFence(store::Fence fence) {
  const MutexLock lock(mutex_);
  fence_ = std::move(fence);
}

void Outbox::NoteRefusal(const Error& error, const std::optional<store::Fence>& fence) {
  if (error.code != ErrorCode::Fenced) return;
  const MutexLock lock(mutex_);
  refused_ = fence;
  has_refused_.store(true, std::memory_order_relaxed);
}

std::optional<store::Fence> Outbox::TakeRefused() {
  if (!has_refused_.load(std::memory_order_relaxed)) return std::nullopt;
  const MutexLock lock(mutex_);
  has_refused_.store(false, std::memory_order_relaxed);
  return std::exchange(refused_, std::nullopt);
}

std::optional<store::Fence> Outbox::fence() const {
  const MutexLock lock(mutex_);
  return fence_;
}

bool Outbox::Pump() {
  bool worked = PumpBindings();
  worked |= PumpEvictions();
  // Bindings that came meanwhile go before what users merely read.
  if (!worked) worked |= PumpPatches();
  if (!worked) worked |= PumpEvents();
  return worked;
}

// Doubles with every try, and spreads over the upper half so that writers who failed together do not return together.
Duration Outbox::Pause(int tries) {
  const Duration pause = std::min(options_.longest_pause, options_.first_pause * (1 << std::min(tries - 1, 16)));
  return pause / 2 + Duration(static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(pause.count() / 2 + 1))));
}

std::optional<Timestamp> Outbox::NextDue() const {
  const MutexLock lock(mutex_);
  if (!bindings_.empty()) return Timestamp::min();
  std::optional<Timestamp> next;
  const auto consider = [&](Timestamp time) {
    if (!next || time < *next) next = time;
  };
  for (const auto& binding : delayed_bindings_) consider(binding.not_before);
  for (const auto& patch : patches_) consider(patch.not_before);
  for (const auto& eviction : evictions_) consider(eviction.not_before);
  if (!events_.empty()) consider(events_not_before_);
  return next;
}

bool Outbox::WaitUntil(std::chrono::steady_clock::time_point deadline) {
  const MutexLock lock(mutex_);
  while (!closed_ && !requested_) {
    if (!arrived_.WaitUntil(mutex_, deadline)) break;
  }
  requested_ = false;
  return !closed_;
}

void Outbox::Close() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
  }
  arrived_.NotifyAll();
}

}  // namespace berth::scheduler
