// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "store/record.h"

#include <vector>

namespace berth::store {

// A watch may be opened this many revisions ahead of the head, as by one who has seen a faster replica, and then waits
// for them. Who asks for more is mistaken about the store.
constexpr Revision kFarAhead = 100'000;

struct WatchOptions {
  Selection selection = {};
  // The watch tells every change after this revision. Ignored with `initial_events`. When it is compacted the watch
  // opens, and its first word is Expired; further than kFarAhead from the head it is TooNew, negative it is Invalid.
  Revision after = 0;
  // Begins with the present state as Added events, in batches of the revision they were read at, then a bookmark with
  // `end_of_initial`, then the changes. Before that bookmark there is no revision to go on from.
  bool initial_events = false;
  // Tells by bookmarks how far the store has come while nothing selected changes. A bookmark comes where a Timeout
  // would, so at most one per Next that waited in vain.
  bool bookmarks = true;
};

// What a watch says next.
struct WatchItem {
  enum class Kind : uint8_t {
    Batch,     // one transaction's changes to selected objects, never split, in order of revision
    Bookmark,  // everything selected up to `revision` has been told
    Expired,   // the place to go on from is compacted away: list again; `revision` is the floor. The last word
    Closed,    // cancelled, or the store is gone. The last word
    Timeout,   // nothing to tell before the deadline
  };
  Kind kind = Kind::Timeout;
  Revision revision = 0;
  bool end_of_initial = false;
  std::vector<Event> events = {};
};

// A stream of changes, pulled. Next is for one thread; Cancel for any. Destroying it ends it.
class Watch {
 public:
  virtual ~Watch() = default;
  // Waits at most `patience` of real time for something to tell; zero only looks. A change that leaves the selection is
  // told as Deleted, with the last state inside it and the revision of the change; one that enters it as Added.
  virtual WatchItem Next(Duration patience) = 0;
  virtual void Cancel() = 0;
};

}  // namespace berth::store
