// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <ctime>

namespace berth {

// A point in wall-clock time, as recorded in cluster objects.
using Timestamp = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

// The only source of time in the engine: real, or driven by a simulation. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp Now() const = 0;
  // Time that nobody sets, from an arbitrary moment on: for how long something has lasted. A clock that is not of this
  // world has only one time.
  virtual Duration Steady() const { return Now().time_since_epoch(); }
};

class SystemClock final : public Clock {
 public:
  Timestamp Now() const override { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }
  // Goes on while the machine sleeps.
  Duration Steady() const override {
    timespec now = {};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  }
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
