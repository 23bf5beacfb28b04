// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace berth {

// A point in wall-clock time, as recorded in cluster objects.
using Timestamp = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

// The only source of time in the engine: real, or driven by a simulation. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp Now() const override { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }
};

// A clock that moves only when advanced. One thread at a time.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start = {}) : now_(start) {}
  Timestamp Now() const override { return now_; }
  void Advance(Duration by) { now_ += by; }

 private:
  Timestamp now_;
};

}  // namespace berth
