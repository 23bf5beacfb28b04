// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/rng.h"

#include <cstdint>

namespace berth::simulator {

// The longest time a scenario may use: random values are capped at it, so that dates fit into Timestamp.
inline constexpr Duration kLongestTime = std::chrono::hours(876'000);

// How long something takes: fixed or random.
struct Span {
  enum class Shape : uint8_t { Fixed, Exponential, Uniform };
  Shape shape = Shape::Fixed;
  Duration low{};   // the fixed value, the mean, or the minimum
  Duration high{};  // the maximum, when uniform
  friend bool operator==(const Span&, const Span&) = default;
};

// Draws a value in whole milliseconds: the last bits of a logarithm differ between machines.
Duration Draw(const Span& span, Rng& rng);

}  // namespace berth::simulator
