// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/check.h"
#include "base/clock.h"

#include <atomic>

namespace berth::simulator {

// A clock that moves only when JumpTo is called. Any thread may read it; one thread moves it.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(Timestamp start) : now_(start.time_since_epoch().count()) {}

  Timestamp Now() const override { return Timestamp(Duration(now_.load(std::memory_order_acquire))); }
  // Must not go backwards.
  void JumpTo(Timestamp moment) {
    BERTH_CHECK(moment >= Now());
    now_.store(moment.time_since_epoch().count(), std::memory_order_release);
  }

 private:
  std::atomic<int64_t> now_;
};

}  // namespace berth::simulator
