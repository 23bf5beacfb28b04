// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "store/watch.h"
#include "support/fault_source.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace berth::test {

// A watch over a line that may be cut from the other end. Any thread.
class WatchLine {
 public:
  explicit WatchLine(std::unique_ptr<store::Watch> inner) : inner_(std::move(inner)) {}

  // Ends what the watch can say: by Cut or by Expire, which names `floor`. The first end stays.
  void Seal(WatchFault end, store::Revision floor) BERTH_EXCLUDES(mutex_);
  WatchFault end() const BERTH_EXCLUDES(mutex_);  // None while it goes on
  store::Revision floor() const BERTH_EXCLUDES(mutex_);
  store::Watch& inner() { return *inner_; }

 private:
  const std::unique_ptr<store::Watch> inner_;
  mutable Mutex mutex_;
  WatchFault end_ BERTH_GUARDED_BY(mutex_) = WatchFault::None;
  store::Revision floor_ BERTH_GUARDED_BY(mutex_) = 0;
};

// What one hears at the near end of a line. Next is for one thread, Cancel for any.
class FaultyWatch final : public store::Watch {
 public:
  // `disorders` counts how often an older change is told after a newer one.
  FaultyWatch(std::shared_ptr<WatchLine> line, std::shared_ptr<FaultSource> faults,
              std::shared_ptr<std::atomic<uint64_t>> disorders, store::Revision after)
      : line_(std::move(line)), faults_(std::move(faults)), disorders_(std::move(disorders)), told_(after) {}

  store::WatchItem Next(Duration patience) override;
  void Cancel() override { line_->inner().Cancel(); }

 private:
  store::WatchItem Told(store::WatchItem item);
  store::WatchItem LastItem();
  store::WatchItem Fetch(Duration patience);
  store::WatchItem FetchMixed(Duration patience);

  const std::shared_ptr<WatchLine> line_;
  const std::shared_ptr<FaultSource> faults_;
  const std::shared_ptr<std::atomic<uint64_t>> disorders_;
  store::Revision told_;
  size_t items_ = 0;
  bool is_over_ = false;
  std::optional<store::WatchItem> read_ahead_;
  std::vector<store::WatchItem> latest_;  // batches that can be told again
  size_t turn_ = 0;
};

}  // namespace berth::test
