// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/rng.h"

#include <cstdint>

namespace berth::simulator {

// The longest time a scenario may speak of: what is drawn stays within it, and dates within Timestamp.
inline constexpr Duration kLongestTime = std::chrono::hours(876'000);

// How long something takes: always the same, or by chance.
struct Span {
  enum class Shape : uint8_t { Fixed, Exponential, Uniform };
  Shape shape = Shape::Fixed;
  Duration low{};   // the fixed length, the mean, or the shortest
  Duration high{};  // the longest, when uniform
  friend bool operator==(const Span&, const Span&) = default;
};

// One length by chance, in whole milliseconds: the last bits of a logarithm are not the same on every machine.
Duration Draw(const Span& span, Rng& rng);

}  // namespace berth::simulator
