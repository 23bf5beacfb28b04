// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "store/fault_source.h"
#include "store/watch.h"

#include <cstddef>
#include <memory>
#include <utility>

namespace berth::store {

// A watch over a line that may be cut from the other end. Any thread.
class WatchLine {
 public:
  using Fate = FaultSource::WatchFate;

  explicit WatchLine(std::unique_ptr<Watch> inner) : inner_(std::move(inner)) {}

  // Ends what the watch can say; `floor` is what it names when its fate is to expire. The first fate stays.
  void Seal(Fate fate, Revision floor) BERTH_EXCLUDES(mutex_);
  Fate fate() const BERTH_EXCLUDES(mutex_);
  Revision floor() const BERTH_EXCLUDES(mutex_);
  Watch& inner() { return *inner_; }

 private:
  const std::unique_ptr<Watch> inner_;
  mutable Mutex mutex_;
  Fate fate_ BERTH_GUARDED_BY(mutex_) = Fate::GoOn;
  Revision floor_ BERTH_GUARDED_BY(mutex_) = 0;
};

// What one hears at the near end of a line. Next is for one thread, Cancel for any.
class FaultyWatch final : public Watch {
 public:
  FaultyWatch(std::shared_ptr<WatchLine> line, std::shared_ptr<FaultSource> faults, Revision after)
      : line_(std::move(line)), faults_(std::move(faults)), told_(after) {}

  WatchItem Next(Duration patience) override;
  void Cancel() override;

 private:
  WatchItem LastWord();

  const std::shared_ptr<WatchLine> line_;
  const std::shared_ptr<FaultSource> faults_;
  Revision told_;
  size_t words_ = 0;
  bool counted_ = false;
};

}  // namespace berth::store
