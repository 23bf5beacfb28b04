// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "store/record.h"

#include <vector>

namespace berth::store {

struct WatchOptions {
  Selection selection;
  // The watch tells every change after this revision. Ignored with `initial_events`.
  Revision after = 0;
  // Begins with the present state as Added events, then a bookmark with `end_of_initial`, then the changes.
  bool initial_events = false;
  // Tells by bookmarks how far the store has come while nothing selected changes.
  bool bookmarks = true;
};

// What a watch says next.
struct WatchItem {
  enum class Kind : uint8_t {
    Batch,     // one transaction's changes to selected objects, never split, in order of revision
    Bookmark,  // everything selected up to `revision` has been told
    Expired,   // the place to go on from is compacted away: list again; `revision` is the floor
    Closed,    // cancelled, or the store is gone
    Timeout,   // nothing to tell before the deadline
  };
  Kind kind = Kind::Timeout;
  Revision revision = 0;
  bool end_of_initial = false;
  std::vector<Event> events;
};

// A stream of changes, pulled. Next is for one thread; Cancel for any. Destroying it ends it.
class Watch {
 public:
  virtual ~Watch() = default;
  // Waits at most `patience` of real time for something to tell. A change that leaves the selection is told as
  // Deleted, one that enters it as Added.
  virtual WatchItem Next(Duration patience) = 0;
  virtual void Cancel() = 0;
};

}  // namespace berth::store
