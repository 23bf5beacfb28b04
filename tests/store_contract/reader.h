// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/store.h"

#include <map>
#include <memory>
#include <vector>

namespace berth::store::contract {

// Reads one watch and holds every item to the rules that need no knowledge of the store: revisions rise, no batch is
// empty, every event bears its batch's revision, and who has said his last word repeats it. One thread.
class Reader {
 public:
  Reader(Store& store, const WatchOptions& options);
  // Of everything selected after a revision.
  Reader(Store& store, Revision after, const Selection& selection = {});

  // The next item that is not a Timeout.
  WatchItem Next();
  // What there is to tell at once; Timeout when there is nothing.
  WatchItem Poll();
  // Everything it says until it has come to `revision`, which the store must have reached. Ends at Expired and Closed,
  // too.
  std::vector<WatchItem> Until(Revision revision);
  // Only the batches of that.
  std::vector<WatchItem> BatchesUntil(Revision revision);

  Watch& watch() { return *watch_; }
  // Everything up to here has been told: the place to go on from.
  Revision position() const { return position_; }

 private:
  void Check(const WatchItem& item);

  Store& store_;
  std::unique_ptr<Watch> watch_;
  bool initial_;
  Revision position_;
};

// The state that follows from what a watch has told. Holds every event to that state: nothing is added twice, changed
// or deleted without being there, and what an event says was there before is what was there. One thread.
class Mirror {
 public:
  Mirror() = default;
  explicit Mirror(const Page& page);

  void Apply(const WatchItem& item);
  void Apply(const std::vector<WatchItem>& items);
  // Equal to what the store lists, at this moment.
  void ExpectEquals(Store& store, const Selection& selection = {}) const;
  std::vector<RecordPtr> Objects() const;
  size_t events() const { return events_; }

 private:
  std::map<Key, RecordPtr> objects_;
  size_t events_ = 0;
};

}  // namespace berth::store::contract
