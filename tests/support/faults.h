// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace berth::test {

// What can go wrong with a write to a store.
enum class Fault : uint8_t {
  None,
  SlowRequest,  // done after a delay
  SlowAnswer,   // done, but the answer comes after a delay
  Unavailable,  // not done, and the answer says so
  LostRequest,  // not done, and no answer comes
  LostAnswer,   // done, but the answer does not come
};

// What a watch does instead of telling its next item.
enum class WatchFault : uint8_t {
  None,
  Cut,         // says Closed
  Expire,      // says Expired
  RepeatLast,  // tells what it told before once more
  // Tells all there is at once, the objects in another order than they changed, each followed by old changes of its
  // own. More than the contract of a store allows.
  Mix,
};

// Asked before every item, with how many batches have been told by all watches so far.
using WatchPlan = std::function<WatchFault(size_t batches_told)>;

// What goes wrong by chance: one call, or one item of a watch, in so many. Zero: never.
struct Faults {
  uint64_t slow_request = 0;  // slow writes may also fail in other ways
  uint64_t slow_answer = 0;
  uint64_t unavailable_write = 0;
  uint64_t lost_request = 0;
  uint64_t lost_answer = 0;

  uint64_t slow_read = 0;
  uint64_t unavailable_read = 0;
  uint64_t stale_list = 0;        // of those to whom any state is good enough: they get an older one
  uint64_t outdated_list = 0;     // of all: they get an older state. More than the contract allows
  uint64_t understated_list = 0;  // newer than the revision it names, and not in order of key. More than allowed, too

  uint64_t cut_watch = 0;
  uint64_t expire_watch = 0;
  uint64_t repeated_batch = 0;
  uint64_t early_watch = 0;  // of watches opened after a revision: they begin with a few batches of before
  // Every watch is cut after exactly so many items, a Timeout being none.
  std::optional<size_t> cut_watch_after = std::nullopt;

  Duration delay = std::chrono::milliseconds(50);  // of what is slow
};

// How often something has gone wrong.
struct FaultCounts {
  size_t slow = 0;
  size_t unavailable = 0;
  size_t unknown = 0;    // lost requests and lost answers
  size_t bad_lists = 0;  // stale, outdated, understated
  size_t cut = 0;
  size_t expired = 0;
  size_t repeated = 0;  // batches that are told again
  size_t mixed = 0;

  // All but delays, which nobody can see.
  size_t total() const { return unavailable + unknown + bad_lists + cut + expired + repeated + mixed; }
};

}  // namespace berth::test
