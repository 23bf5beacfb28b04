// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <atomic>
#include <cstdint>

namespace berth::plugin_host {

// The scheduler's clock: it stands still between two calls. Thread-safe.
class ToldClock final : public Clock {
 public:
  void Set(int64_t nanoseconds) { now_.store(nanoseconds, std::memory_order_relaxed); }
  Timestamp Now() const override { return Timestamp(Duration(now_.load(std::memory_order_relaxed))); }

 private:
  std::atomic<int64_t> now_ = 0;
};

}  // namespace berth::plugin_host
