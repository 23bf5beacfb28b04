// SPDX-License-Identifier: Apache-2.0
#include "store/hub/hub.h"

#include "store/continue_token.h"
#include "store/hub/hub_watch.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::store {
namespace {

constexpr size_t kKeysPerLock = 1024;

Error TooNewError(Revision revision, Revision head) {
  return {ErrorCode::TooNew, fmt::format("cannot list at revision {}: the store is at {}", revision, head)};
}

Error ExpiredError(Revision revision, Revision floor) {
  return {ErrorCode::Expired,
          fmt::format("cannot list at revision {}: the history begins at {}, list again", revision, floor)};
}

}  // namespace

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

Result<Revision> Hub::ChooseRevision(const ListOptions& options) {
  switch (options.match) {
    case ListOptions::Match::Latest:
    case ListOptions::Match::Any: break;
    case ListOptions::Match::NotOlderThan:
      BERTH_RETURN_IF_ERROR(AwaitRevision(options.revision, options.patience));
      break;
    case ListOptions::Match::Exact:
      if (options.revision <= 0) return InvalidError("an exact list needs a revision above zero");
      if (options.revision > versions_.head()) return TooNewError(options.revision, versions_.head());
      if (options.revision < versions_.floor()) return ExpiredError(options.revision, versions_.floor());
      return options.revision;
  }
  return versions_.head();
}

Result<Page> Hub::List(const ListOptions& options) {
  ListOptions settled{.match = options.match, .revision = options.revision, .patience = options.patience};
  ObjectTable::Walk walk;
  if (!options.continue_token.empty()) {
    BERTH_ASSIGN_OR_RETURN(ContinueToken token, DecodeContinueToken(options.continue_token));
    walk = {std::move(token.after), true};
    settled.match = ListOptions::Match::Exact;
    settled.revision = token.revision;
  }
  Page page;
  {
    MutexLock lock(mutex_);
    BERTH_ASSIGN_OR_RETURN(page.revision, ChooseRevision(settled));
    versions_.Pin(page.revision);
  }
  Visit(options.selection, page.revision, std::move(walk), [&](const RecordPtr& object) {
    if (options.limit > 0 && page.objects.size() == options.limit) {
      page.continue_token = EncodeContinueToken({page.revision, page.objects.back()->key});
      return false;
    }
    page.objects.push_back(object);
    return true;
  });
  Unpin(page.revision);
  return page;
}

void Hub::Visit(const Selection& selection, Revision revision, ObjectTable::Walk walk, const Keep& keep) {
  std::vector<std::string> kinds = selection.kinds;
  std::ranges::sort(kinds);
  bool wanted = true;
  bool finished = false;
  while (wanted && !finished) {
    MutexLock lock(mutex_);
    finished =
        versions_.table().Scan(kinds, selection.namespace_, kKeysPerLock, walk, [&](const ObjectTable::Entry& entry) {
          const RecordPtr& object = entry.second.At(revision);
          if (object == nullptr || !selection.Matches(*object)) return true;
          wanted = keep(object);
          return wanted;
        });
  }
}

std::optional<Hub::Snapshot> Hub::TakeSnapshot(const Selection& selection) {
  Snapshot snapshot;
  {
    MutexLock lock(mutex_);
    if (closed_) return std::nullopt;
    snapshot.revision = versions_.head();
    versions_.Pin(snapshot.revision);
  }
  Visit(selection, snapshot.revision, {}, [&](const RecordPtr& object) {
    snapshot.objects.push_back(object);
    return true;
  });
  Unpin(snapshot.revision);
  return snapshot;
}

void Hub::Unpin(Revision revision) {
  Versions::Dropped dropped;  // outlives the lock
  MutexLock lock(mutex_);
  dropped = versions_.Unpin(revision);
}

Result<std::unique_ptr<Watch>> Hub::OpenWatch(const WatchOptions& options) {
  if (!options.initial_events) {
    if (options.after < 0) return InvalidError(fmt::format("cannot watch after revision {}: negative", options.after));
    const Revision head = Head();
    if (options.after - head > kFarAhead) {
      return Error{ErrorCode::TooNew,
                   fmt::format("cannot watch after revision {}: the store is at {}", options.after, head)};
    }
  }
  return std::unique_ptr<Watch>(std::make_unique<HubWatch>(shared_from_this(), options));
}

}  // namespace berth::store
