// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/hub/object_table.h"
#include "store/record.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <set>
#include <vector>

namespace berth::store {

// The changes of one transaction. Immutable once published, and shared by all watches.
struct Batch {
  Revision revision = 0;
  std::vector<Event> events;
};
using BatchPtr = std::shared_ptr<const Batch>;

// Every object's state at every revision from the floor to the head, and the batches between them. The batches are kept
// in a ring bounded in bytes: when it is full, the floor moves up. One thread at a time.
class Versions {
 public:
  using Entry = ObjectTable::Entry;

  // A transaction under construction. It touches each key once, except that a removal may be followed by a creation.
  struct Change {
    Revision revision = 0;
    std::vector<Event> events;
    std::vector<Entry*> entries;  // parallel to the events
    size_t bytes = 0;
  };

  explicit Versions(size_t max_history_bytes) : max_history_bytes_(max_history_bytes) {}

  Revision head() const { return head_; }
  Revision floor() const { return floor_; }
  size_t objects() const { return objects_; }
  // The memory used by the history, beyond the current state.
  size_t history_bytes() const { return history_bytes_; }
  ObjectTable& table() { return table_; }

  // Null when there is no such object now.
  const RecordPtr& Present(const Key& key);

  // Begins the next revision. Put and Remove take effect immediately, so call only them and Publish afterwards.
  Change Begin(size_t expected_events) const;
  // Creates the object or replaces its state. Sets the revisions of `next`; a replacement keeps the object's uid and
  // creation revision.
  void Put(Change& change, Entry& entry, std::shared_ptr<Record> next);
  void Remove(Change& change, Entry& entry);

  // What fell out of the history. Destroy it after releasing the lock, as that may take a while.
  struct Dropped {
    std::vector<BatchPtr> batches;
  };
  // Makes the change the newest batch.
  [[nodiscard]] Dropped Publish(Change change);

  // Moves the floor up to `revision`, which must not be above the head.
  [[nodiscard]] Dropped Compact(Revision revision);

  // The batches after `revision`, oldest first, at most `max` of them.
  void BatchesAfter(Revision revision, size_t max, std::vector<BatchPtr>& out) const;

  // While a revision is pinned, its states stay readable even when the floor passes it. For readers that release the
  // lock midway; pin only briefly.
  void Pin(Revision revision) { pins_.insert(revision); }
  [[nodiscard]] Dropped Unpin(Revision revision);

 private:
  struct Slot {
    BatchPtr batch;
    std::vector<Entry*> entries;
    size_t bytes = 0;
  };

  void Append(Change& change, Event::Type type, Entry& entry, RecordPtr object, RecordPtr previous);
  void RaiseFloor();
  Dropped DropForgotten();

  const size_t max_history_bytes_;
  Revision head_ = 0;
  Revision floor_ = 0;
  size_t objects_ = 0;
  size_t history_bytes_ = 0;  // of the slots above the floor
  ObjectTable table_;
  std::deque<Slot> ring_;
  size_t below_floor_ = 0;  // how many of the ring's oldest slots are kept only by a pin
  std::multiset<Revision> pins_;
};

}  // namespace berth::store
