// SPDX-License-Identifier: Apache-2.0
#include "store/hub/hub.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::store {

Hub::Deadline Hub::DeadlineIn(Duration patience) {
  if (patience <= Duration::zero()) return Deadline::min();
  // Bounded, so that the sum cannot overflow.
  return std::chrono::steady_clock::now() + std::min<Duration>(patience, std::chrono::hours(24 * 365));
}

Result<RecordPtr> Hub::Get(const Key& key) {
  MutexLock lock(mutex_);
  const RecordPtr& present = versions_.Present(key);
  if (present == nullptr) return NotFoundError(ToText(key) + " is not in the store");
  return present;
}

Revision Hub::Head() const {
  MutexLock lock(mutex_);
  return versions_.head();
}

Result<void> Hub::WaitFor(Revision revision, Duration patience) {
  MutexLock lock(mutex_);
  return AwaitRevision(revision, patience);
}

Result<void> Hub::AwaitRevision(Revision revision, Duration patience) {
  if (revision < 0) return InvalidError(fmt::format("revision {} is negative", revision));
  if (versions_.head() >= revision) return {};
  const Deadline deadline = DeadlineIn(patience);
  while (versions_.head() < revision) {
    if (closed_) return Error{ErrorCode::Unavailable, "the store is closed"};
    const bool woken = deadline != Deadline::min() && moved_.WaitUntil(mutex_, deadline);
    if (!woken && versions_.head() < revision) {
      return Error{ErrorCode::TooNew,
                   fmt::format("revision {} is not there yet, the store is at {}", revision, versions_.head())};
    }
  }
  return {};
}

Result<void> Hub::Compact(Revision revision) {
  Versions::Dropped dropped;  // outlives the lock
  {
    MutexLock lock(mutex_);
    if (revision < 0) return InvalidError(fmt::format("cannot compact up to revision {}: it is negative", revision));
    if (revision > versions_.head()) {
      return Error{ErrorCode::TooNew,
                   fmt::format("cannot compact up to revision {}: the store is at {}", revision, versions_.head())};
    }
    if (revision <= versions_.floor()) return {};
    dropped = versions_.Compact(revision);
  }
  Announce();
  return {};
}

Revision Hub::CompactFloor() const {
  MutexLock lock(mutex_);
  return versions_.floor();
}

Stats Hub::GetStats() const {
  MutexLock lock(mutex_);
  return {.head = versions_.head(),
          .compact_floor = versions_.floor(),
          .objects = versions_.objects(),
          .history_bytes = versions_.history_bytes(),
          .watchers = watches_,
          .expired_watchers = expired_watches_};
}

void Hub::Close() {
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  Announce();
}

Hub::Fetched Hub::FetchAfter(Revision position, size_t max, Deadline deadline, const std::atomic<bool>& cancelled) {
  MutexLock lock(mutex_);
  Fetched fetched = FetchNow(position, max, cancelled);
  bool woken = deadline != Deadline::min();
  while (fetched.progress == Progress::None && woken) {
    woken = moved_.WaitUntil(mutex_, deadline);
    fetched = FetchNow(position, max, cancelled);
  }
  return fetched;
}

Hub::Fetched Hub::FetchNow(Revision position, size_t max, const std::atomic<bool>& cancelled) {
  Fetched fetched;
  if (closed_ || cancelled.load()) {
    fetched.progress = Progress::Closed;
  } else if (position < versions_.floor()) {
    fetched.progress = Progress::Expired;
    fetched.floor = versions_.floor();
    ++expired_watches_;
  } else if (position < versions_.head()) {
    fetched.progress = Progress::Batches;
    versions_.BatchesAfter(position, max, fetched.batches);
  }
  return fetched;
}

void Hub::WakeWatches() {
  // A watch holds the mutex from checking its flag until it waits. Taking the mutex here ensures it is not in between,
  // where it would miss the notification.
  { MutexLock lock(mutex_); }
  Announce();
}

void Hub::WatchOpened() {
  MutexLock lock(mutex_);
  ++watches_;
}

void Hub::WatchEnded() {
  MutexLock lock(mutex_);
  --watches_;
}

}  // namespace berth::store
