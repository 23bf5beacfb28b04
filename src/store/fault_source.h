// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/rng.h"
#include "base/thread_annotations.h"
#include "store/record.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace berth::store {

// What can go wrong with a call.
enum class Fault : uint8_t {
  None,
  Slow,           // done after a delay
  Late,           // done, but the answer comes after a delay
  Unavailable,    // not done, and the answer says so
  UnknownDone,    // done, but the answer does not come
  UnknownUndone,  // not done, and no answer comes
};

// How often what goes wrong. Each number is a chance, of a call or of a word of a watch; zero means never.
struct FaultOptions {
  uint64_t seed = 1;
  // The longest delay of Slow and Late; each is of random length.
  Duration delay = std::chrono::milliseconds(50);

  double slow_write = 0;
  double late_write = 0;
  double unavailable_write = 0;
  double unknown_write = 0;  // half of them done

  double slow_read = 0;
  double unavailable_read = 0;
  double stale_list = 0;  // of those to whom any state is good enough: they get an older one

  double cut_watch = 0;     // Closed instead of the next word
  double expire_watch = 0;  // Expired instead of the next word
  double repeat_watch = 0;  // of watches opened after a revision: they begin with a few batches of before
  // Every watch is Closed after exactly so many words, a Timeout being none.
  std::optional<size_t> cut_watch_after = {};
};

// How often it has gone wrong.
struct FaultCounts {
  size_t slow = 0;
  size_t late = 0;
  size_t unavailable = 0;
  size_t unknown = 0;
  size_t stale = 0;
  size_t cut = 0;
  size_t expired = 0;
  size_t repeated = 0;
};

// Decides what goes wrong next: by script as long as there is one, then by chance, the same for the same seed and the
// same order of questions. Thread-safe.
class FaultSource {
 public:
  explicit FaultSource(const FaultOptions& options) : options_(options), rng_(options.seed) {}

  void ScriptWrites(const std::vector<Fault>& next);
  FaultCounts Counts() const;

  Fault NextWrite();
  Fault NextRead();
  // How long a slow or late call takes; never zero.
  Duration NextDelay();
  // How many revisions a list to whom any state is good enough lies behind.
  Revision NextStaleness();
  // How many revisions too early a watch begins.
  Revision NextRepetition();

  enum class WatchFate : uint8_t { GoOn, Cut, Expire };
  // For a watch that has said so many words.
  WatchFate NextWord(size_t words_said);
  void CountFate(WatchFate fate);

 private:
  // Draws once for each chance in turn, whatever came before: so that one more chance does not shift the others.
  Fault Draw(double slow, double late, double unavailable, double unknown) BERTH_REQUIRES(mutex_);
  void Count(Fault fault) BERTH_REQUIRES(mutex_);

  const FaultOptions options_;
  mutable Mutex mutex_;
  Rng rng_ BERTH_GUARDED_BY(mutex_);
  std::deque<Fault> script_ BERTH_GUARDED_BY(mutex_);
  FaultCounts counts_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::store
