// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "store/record.h"

#include <vector>

namespace berth::store {

// A watch may be opened this many revisions ahead of the head and then waits for them: the caller may have seen a
// faster replica. Further ahead, it is talking to the wrong store.
constexpr Revision kFarAhead = 100'000;

struct WatchOptions {
  Selection selection = {};
  // The watch delivers every change after this revision. Ignored with `initial_events`. If it is compacted, the watch
  // opens and its first item is Expired; more than kFarAhead beyond the head it is TooNew, negative it is Invalid.
  Revision after = 0;
  // Begins with the current state as Added events, in batches at the revision they were read at, then a bookmark with
  // `end_of_initial`, then the changes. Before that bookmark there is no revision to resume from.
  bool initial_events = false;
  // Reports the store's progress by bookmarks while no selected object changes. A bookmark is sent in place of a
  // Timeout, so at most one per Next that found no change.
  bool bookmarks = true;
};

// One item of a watch's stream.
struct WatchItem {
  enum class Kind : uint8_t {
    Batch,     // one transaction's changes to selected objects, never split, in order of revision
    Bookmark,  // every selected change up to `revision` has been delivered
    Expired,   // the watch's position was compacted: list again; `revision` is the floor. Final
    Closed,    // cancelled, or the store is gone. Final
    Timeout,   // no change before the deadline
  };
  Kind kind = Kind::Timeout;
  Revision revision = 0;
  bool end_of_initial = false;
  std::vector<Event> events = {};
};

// A pull-based stream of changes. One thread calls Next; any thread may call Cancel. Destroying it ends it.
class Watch {
 public:
  virtual ~Watch() = default;
  // Waits at most `patience` of real time for the next item; zero does not wait. An object that leaves the selection is
  // reported as Deleted, with its last selected state and the revision of the change; one that enters it as Added.
  virtual WatchItem Next(Duration patience) = 0;
  virtual void Cancel() = 0;
};

}  // namespace berth::store
