// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace berth {

// A moment on the wall clock, as cluster objects carry it.
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

// Time that stands still until it is told otherwise. One thread at a time.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start = {}) : now_(start) {}
  Timestamp Now() const override { return now_; }
  void Advance(Duration by) { now_ += by; }

 private:
  Timestamp now_;
};

}  // namespace berth
