// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace berth::remote {

// Numbers the cycles of one plugin, and collects those that are over: what the plugin remembers for them can be
// forgotten. Any thread.
class CycleNumbers : public std::enable_shared_from_this<CycleNumbers> {
 public:
  // A cycle that is not over as long as somebody holds this.
  class Cycle {
   public:
    Cycle(std::shared_ptr<CycleNumbers> numbers, uint64_t number) : numbers_(std::move(numbers)), number_(number) {}
    ~Cycle() { numbers_->End(number_); }
    Cycle(const Cycle&) = delete;
    Cycle& operator=(const Cycle&) = delete;
    uint64_t number() const { return number_; }

   private:
    const std::shared_ptr<CycleNumbers> numbers_;
    const uint64_t number_;
  };
  using CyclePtr = std::shared_ptr<const Cycle>;

  CyclePtr Begin() { return std::make_shared<const Cycle>(shared_from_this(), ++last_); }
  // Those that have ended since the last time.
  std::vector<uint64_t> TakeEnded() BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return std::exchange(ended_, {});
  }

 private:
  void End(uint64_t number) BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    ended_.push_back(number);
  }

  std::atomic<uint64_t> last_ = 0;
  Mutex mutex_;
  std::vector<uint64_t> ended_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::remote
