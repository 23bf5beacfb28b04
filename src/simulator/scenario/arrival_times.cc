// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/arrival_times.h"

namespace berth::simulator {

ArrivalTimes::ArrivalTimes(const Arrivals& arrivals, uint64_t seed) : arrivals_(arrivals), rng_(seed) {
  next_ = arrivals_.from + (arrivals_.per_hour ? Pause() : Duration::zero());
  if (arrivals_.until && *next_ >= *arrivals_.until) next_.reset();
}

void ArrivalTimes::Advance() {
  ++come_;
  if (arrivals_.count && come_ >= *arrivals_.count) {
    next_.reset();
    return;
  }
  const bool batch_goes_on = come_ % arrivals_.batch != 0;
  if (!batch_goes_on && !arrivals_.at_once()) next_ = *next_ + Pause();
  if (*next_ > kLongestTime || (arrivals_.until && *next_ >= *arrivals_.until)) next_.reset();
}

Duration ArrivalTimes::Pause() {
  constexpr double kHour = 3.6e12;
  if (arrivals_.every) return *arrivals_.every;
  return Draw({Span::Shape::Exponential, Duration(static_cast<int64_t>(kHour / *arrivals_.per_hour)), {}}, rng_);
}

}  // namespace berth::simulator
