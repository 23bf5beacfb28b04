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

// The changes of one transaction. Immutable once published, and shared by everyone who is told of it.
struct Batch {
  Revision revision = 0;
  std::vector<Event> events;
};
using BatchPtr = std::shared_ptr<const Batch>;

// Every object's state at every revision from the floor to the head, and the batches that lead from one to the next.
// The batches lie in a ring bounded by bytes: when it is full the floor moves up. One thread at a time.
class Versions {
 public:
  using Entry = ObjectTable::Entry;

  // A transaction being put together. It touches a key once; only a removal may be followed by a new creation.
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
  // What is kept for the history alone, on top of the present state.
  size_t history_bytes() const { return history_bytes_; }
  ObjectTable& table() { return table_; }

  // Null when there is no such object now.
  const RecordPtr& Present(const Key& key);

  // Begins the next revision. Put and Remove take effect at once, so nothing but them and Publish may follow.
  Change Begin(size_t expected_events) const;
  // Creates the object or replaces its state: `next` gets its revisions, and uid and creation of what is there.
  void Put(Change& change, Entry& entry, std::shared_ptr<Record> next);
  void Remove(Change& change, Entry& entry);

  // What fell out of the history: to be destroyed when no lock is held any more, as that may take a while.
  struct Dropped {
    std::vector<BatchPtr> batches;
  };
  // Makes the change the newest batch.
  [[nodiscard]] Dropped Publish(Change change);

  // Moves the floor up to `revision`, which is not above the head.
  [[nodiscard]] Dropped Compact(Revision revision);

  // The batches after `revision`, oldest first, at most `max` of them.
  void BatchesAfter(Revision revision, size_t max, std::vector<BatchPtr>& out) const;

  // While a revision is pinned its states stay readable even when the floor passes it. For readers that give up the
  // lock halfway, so for moments only.
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
  size_t below_floor_ = 0;  // how many of the ring's oldest slots only a pin keeps
  std::multiset<Revision> pins_;
};

}  // namespace berth::store
