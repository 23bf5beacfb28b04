// SPDX-License-Identifier: Apache-2.0
#include "text/duration.h"

#include <fmt/format.h>

namespace berth::text {
namespace {

// "3h", "3h05m".
std::string TwoUnits(int64_t large, char large_unit, int64_t small, char small_unit, int digits) {
  if (small == 0) return fmt::format("{}{}", large, large_unit);
  return fmt::format("{}{}{:0{}}{}", large, large_unit, small, digits, small_unit);
}

}  // namespace

std::string DurationText(Duration duration) {
  const int64_t milliseconds = duration.count() / 1'000'000;
  const int64_t seconds = milliseconds / 1'000;
  if (seconds == 0) return milliseconds == 0 ? "0s" : fmt::format("{}ms", milliseconds);
  if (seconds < 60) {
    const int64_t tenths = milliseconds % 1'000 / 100;
    return tenths == 0 ? fmt::format("{}s", seconds) : fmt::format("{}.{}s", seconds, tenths);
  }
  if (seconds < 3'600) return TwoUnits(seconds / 60, 'm', seconds % 60, 's', 2);
  const int64_t minutes = seconds / 60;
  constexpr int64_t kMinutesOfDay = 1'440;
  if (minutes <= kMinutesOfDay) return TwoUnits(minutes / 60, 'h', minutes % 60, 'm', 2);
  return TwoUnits(minutes / kMinutesOfDay, 'd', minutes % kMinutesOfDay / 60, 'h', 1);
}

}  // namespace berth::text
