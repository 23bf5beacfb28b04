// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "simulator/scenario/scenario.h"

#include <optional>

namespace berth::simulator {

// The successive arrival times of one source; the same for the same seed.
class ArrivalTimes {
 public:
  ArrivalTimes(const Arrivals& arrivals, uint64_t seed);

  // Nothing once all have arrived.
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
