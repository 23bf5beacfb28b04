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

// The reading half of a store, the same for every engine: the present state and the recent ones in memory, lists and
// watches over them. An engine is the writing half: it takes the mutex, changes the versions, and announces.
//
// A watch is a place in the history and nothing more. It has no queue: its thread fetches the batches it has not seen
// and filters them itself, so nobody who writes ever waits for one who watches. Thread-safe.
class Hub : public std::enable_shared_from_this<Hub> {
 public:
  explicit Hub(size_t max_history_bytes) : versions_(max_history_bytes) {}

  Mutex& mutex() const BERTH_RETURN_CAPABILITY(mutex_) { return mutex_; }
  Versions& versions() BERTH_REQUIRES(mutex_) { return versions_; }
  // Wakes everyone who waits for a revision. Call it after a publication, best without the mutex.
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
  // The earliest possible moment stands for no wait at all.
  static Deadline DeadlineIn(Duration patience);

  enum class Progress : uint8_t { None, Batches, Expired, Closed };
  struct Fetched {
    Progress progress = Progress::None;
    Revision floor = 0;  // when Expired
    std::vector<BatchPtr> batches;
  };
  // For a watch: waits until there is something after `position`, and takes at most `max` batches of it. A watch does
  // not ask again once it is told Expired.
  Fetched FetchAfter(Revision position, size_t max, Deadline deadline, const std::atomic<bool>& cancelled)
      BERTH_EXCLUDES(mutex_);
  Fetched FetchNow(Revision position, size_t max, const std::atomic<bool>& cancelled) BERTH_REQUIRES(mutex_);
  // Makes waiting watches look again whether they are cancelled.
  void WakeWatches() BERTH_EXCLUDES(mutex_);
  void WatchOpened() BERTH_EXCLUDES(mutex_);
  void WatchEnded() BERTH_EXCLUDES(mutex_);

  Result<void> AwaitRevision(Revision revision, Duration patience) BERTH_REQUIRES(mutex_);
  Result<Revision> ChooseRevision(const ListOptions& options) BERTH_REQUIRES(mutex_);
  // Calls `keep` for the selected objects as they were at `revision`, in order of key, until it returns false. The
  // revision is pinned, and the mutex is given up every so often, so that writers do not wait for a long list.
  using Keep = std::function<bool(const RecordPtr&)>;
  void Visit(const Selection& selection, Revision revision, ObjectTable::Walk walk, const Keep& keep)
      BERTH_EXCLUDES(mutex_);
  struct Snapshot {
    Revision revision = 0;
    std::vector<RecordPtr> objects;
  };
  // For a watch that begins with the present state. Nothing when the hub is closed.
  std::optional<Snapshot> TakeSnapshot(const Selection& selection) BERTH_EXCLUDES(mutex_);
  void Unpin(Revision revision) BERTH_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  CondVar moved_;  // the head, the floor, or a watch's fate
  Versions versions_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
  size_t watches_ BERTH_GUARDED_BY(mutex_) = 0;
  size_t expired_watches_ BERTH_GUARDED_BY(mutex_) = 0;
};

}  // namespace berth::store
