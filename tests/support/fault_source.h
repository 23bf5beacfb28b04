// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/rng.h"
#include "base/thread_annotations.h"
#include "store/record.h"
#include "support/faults.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace berth::test {

// Decides what goes wrong next: by script or plan as long as there is one, then by chance, the same for the same seed
// and the same order of questions. Thread-safe.
class FaultSource {
 public:
  explicit FaultSource(uint64_t seed) : rng_(seed) {}

  void Set(const Faults& faults) BERTH_EXCLUDES(mutex_);
  void ScriptWrites(const std::vector<Fault>& next) BERTH_EXCLUDES(mutex_);
  // Before the first watch.
  void PlanWatches(WatchPlan plan) { watch_plan_ = std::move(plan); }
  FaultCounts counts() const BERTH_EXCLUDES(mutex_);

  // What becomes of a call. Delays come on top of what goes wrong.
  struct Fate {
    Fault fault = Fault::None;  // None, Unavailable, LostRequest or LostAnswer
    bool slow_request = false;
    bool slow_answer = false;
  };
  Fate NextWrite() BERTH_EXCLUDES(mutex_);
  Fate NextRead() BERTH_EXCLUDES(mutex_);
  Duration delay() const BERTH_EXCLUDES(mutex_);

  // How many revisions a list to whom any state is good enough lies behind.
  store::Revision NextStaleness() BERTH_EXCLUDES(mutex_);
  bool NextIsOutdated() BERTH_EXCLUDES(mutex_);
  bool NextIsUnderstated() BERTH_EXCLUDES(mutex_);
  // How many revisions too early a watch begins.
  store::Revision NextEarliness() BERTH_EXCLUDES(mutex_);

  // For a watch that has told so many items.
  WatchFault NextItem(size_t items_told) BERTH_EXCLUDES(mutex_);
  void BatchTold() BERTH_EXCLUDES(mutex_);
  void CountWatchFault(WatchFault fault) BERTH_EXCLUDES(mutex_);

 private:
  // Draws whatever the chance is, so that one more kind of fault does not shift the others.
  bool Strikes(uint64_t one_in) BERTH_REQUIRES(mutex_);
  bool Counted(bool happens, size_t& count) BERTH_REQUIRES(mutex_);
  WatchFault ItemByChance(size_t items_told) BERTH_REQUIRES(mutex_);

  WatchPlan watch_plan_;
  mutable Mutex mutex_;
  Faults faults_ BERTH_GUARDED_BY(mutex_);
  Rng rng_ BERTH_GUARDED_BY(mutex_);
  std::deque<Fault> script_ BERTH_GUARDED_BY(mutex_);
  FaultCounts counts_ BERTH_GUARDED_BY(mutex_);
  size_t batches_told_ BERTH_GUARDED_BY(mutex_) = 0;
};

}  // namespace berth::test
