// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/span.h"

#include <algorithm>
#include <cmath>

namespace berth::simulator {
namespace {

// Uniform in [0, 1).
double Fraction(Rng& rng) { return static_cast<double>(rng.Next() >> 11U) * 0x1.0p-53; }

Duration Milliseconds(double count) {
  constexpr auto kMost =
      static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(kLongestTime).count());
  return std::chrono::milliseconds(std::llround(std::min(count, kMost)));
}

}  // namespace

Duration Draw(const Span& span, Rng& rng) {
  const auto low = static_cast<double>(span.low.count()) / 1e6;
  const auto high = static_cast<double>(span.high.count()) / 1e6;
  switch (span.shape) {
    case Span::Shape::Fixed: break;
    case Span::Shape::Exponential: return Milliseconds(-std::log1p(-Fraction(rng)) * low);
    case Span::Shape::Uniform: return Milliseconds(low + Fraction(rng) * (high - low));
  }
  return span.low;
}

}  // namespace berth::simulator
