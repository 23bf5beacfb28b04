// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "simulator/scenario/scenario.h"

#include <optional>

namespace berth::simulator {

// The moments at which things of one sort come, one after the other; equal for equal seeds.
class ArrivalTimes {
 public:
  ArrivalTimes(const Arrivals& arrivals, uint64_t seed);

  // None once all have come.
  std::optional<Duration> next() const { return next_; }
  void Advance();

 private:
  Duration Pause();

  const Arrivals arrivals_;
  Rng rng_;
  std::optional<Duration> next_;
  uint64_t come_ = 0;
};

}  // namespace berth::simulator
