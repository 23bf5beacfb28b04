// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <chrono>

namespace berth::metrics {

// How long something really took. Measurements come from here and not from the engine's Clock: a simulation's clock
// stands still while plugins run, and no decision may ever depend on what a measurement said. One thread at a time.
class Stopwatch {
 public:
  // Runs from here on.
  Stopwatch() : since_(std::chrono::steady_clock::now()) {}

  Duration Elapsed() const { return std::chrono::steady_clock::now() - since_; }
  // The time since the start or the last lap; the next lap begins.
  Duration Lap() {
    const auto now = std::chrono::steady_clock::now();
    const Duration lap = now - since_;
    since_ = now;
    return lap;
  }

 private:
  std::chrono::steady_clock::time_point since_;
};

}  // namespace berth::metrics
