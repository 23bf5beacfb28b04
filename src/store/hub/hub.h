// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "store/hub/versions.h"
#include "store/store.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace berth::store {

// The read side of a store, shared by all storage engines: the current and recent states in memory, with lists and
// watches over them. An engine is the write side: it takes the mutex, changes the versions, and announces.
//
// A watch is only a position in the history. It has no queue: its thread fetches the batches it has not seen and
// filters them itself, so a writer never waits for a watcher. Thread-safe.
class Hub : public std::enable_shared_from_this<Hub> {
 public:
  explicit Hub(size_t max_history_bytes) : versions_(max_history_bytes) {}

  Mutex& mutex() const BERTH_RETURN_CAPABILITY(mutex_) { return mutex_; }
  Versions& versions() BERTH_REQUIRES(mutex_) { return versions_; }
  // Wakes everyone waiting for a revision. Call it after publishing, preferably without holding the mutex.
  void Announce() { moved_.NotifyAll(); }

  Result<RecordPtr> Get(const Key& key) BERTH_EXCLUDES(mutex_);
  Result<Page> List(const ListOptions& options) BERTH_EXCLUDES(mutex_);
  Result<std::unique_ptr<Watch>> OpenWatch(const WatchOptions& options) BERTH_EXCLUDES(mutex_);
  Revision Head() const BERTH_EXCLUDES(mutex_);
  Result<void> WaitFor(Revision revision, Duration patience) BERTH_EXCLUDES(mutex_);
  Result<void> Compact(Revision revision) BERTH_EXCLUDES(mutex_);
  Revision CompactFloor() const BERTH_EXCLUDES(mutex_);
  Stats GetStats() const BERTH_EXCLUDES(mutex_);

  // Ends every watch.
  void Close() BERTH_EXCLUDES(mutex_);

 private:
  friend class HubWatch;
  using Deadline = std::chrono::steady_clock::time_point;
  // Deadline::min() means not to wait at all.
  static Deadline DeadlineIn(Duration patience);

  enum class Progress : uint8_t { None, Batches, Expired, Closed };
  struct Fetched {
    Progress progress = Progress::None;
    Revision floor = 0;  // when Expired
    std::vector<BatchPtr> batches;
  };
  // For a watch: waits until there is something after `position` and returns at most `max` batches. A watch does not
  // call it again after Expired.
  Fetched FetchAfter(Revision position, size_t max, Deadline deadline, const std::atomic<bool>& cancelled)
      BERTH_EXCLUDES(mutex_);
  Fetched FetchNow(Revision position, size_t max, const std::atomic<bool>& cancelled) BERTH_REQUIRES(mutex_);
  // Makes waiting watches check again whether they are cancelled.
  void WakeWatches() BERTH_EXCLUDES(mutex_);
  void WatchOpened() BERTH_EXCLUDES(mutex_);
  void WatchEnded() BERTH_EXCLUDES(mutex_);

  Result<void> AwaitRevision(Revision revision, Duration patience) BERTH_REQUIRES(mutex_);
  Result<Revision> ChooseRevision(const ListOptions& options) BERTH_REQUIRES(mutex_);
  // Calls `keep` for the selected objects as they were at `revision`, in key order, until it returns false. The
  // revision is pinned and the mutex released now and then, so that writers do not wait for a long list.
  using Keep = std::function<bool(const RecordPtr&)>;
  void Visit(const Selection& selection, Revision revision, ObjectTable::Walk walk, const Keep& keep)
      BERTH_EXCLUDES(mutex_);
  struct Snapshot {
    Revision revision = 0;
    std::vector<RecordPtr> objects;
  };
  // For a watch that begins with the current state. Nothing when the hub is closed.
  std::optional<Snapshot> TakeSnapshot(const Selection& selection) BERTH_EXCLUDES(mutex_);
  void Unpin(Revision revision) BERTH_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  CondVar moved_;  // the head or the floor moved, or watches were cancelled or closed
  Versions versions_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
  size_t watches_ BERTH_GUARDED_BY(mutex_) = 0;
  size_t expired_watches_ BERTH_GUARDED_BY(mutex_) = 0;
};

}  // namespace berth::store
