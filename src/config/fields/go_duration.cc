// SPDX-License-Identifier: Apache-2.0
#include "config/fields/go_duration.h"

#include <array>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

namespace berth::config {
namespace {

__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using): the keyword needs a typedef

struct Unit {
  std::string_view name;
  uint64_t nanoseconds;
};

// Longer names first: "ms" must not be parsed as "m".
constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", 1'000},
                                         {"\u00b5s", 1'000},
                                         {"\u03bcs", 1'000},
                                         {"ms", 1'000'000},
                                         {"s", 1'000'000'000},
                                         {"m", 60'000'000'000},
                                         {"h", 3'600'000'000'000}}};

constexpr Wide kLimit = Wide{1} << 63U;  // the magnitude of the smallest int64

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

const Unit* TakeUnit(std::string_view& text) {
  for (const Unit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return &unit;
  }
  return nullptr;
}

// Consumes one number with its unit from the front of `text`; in nanoseconds.
std::optional<Wide> TakePart(std::string_view& text) {
  Wide whole = 0;
  Wide fraction = 0;
  Wide scale = 1;
  bool digits = false;
  for (; !text.empty() && IsDigit(text.front()); text.remove_prefix(1)) {
    whole = whole * 10 + static_cast<unsigned>(text.front() - '0');
    if (whole > kLimit) return std::nullopt;
    digits = true;
  }
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    for (; !text.empty() && IsDigit(text.front()); text.remove_prefix(1)) {
      digits = true;
      if (scale > Wide{1'000'000'000'000'000'000U}) continue;  // below the precision of any unit
      fraction = fraction * 10 + static_cast<unsigned>(text.front() - '0');
      scale *= 10;
    }
  }
  if (!digits) return std::nullopt;
  const Unit* unit = TakeUnit(text);
  if (unit == nullptr) return std::nullopt;
  return whole * unit->nanoseconds + fraction * unit->nanoseconds / scale;
}

std::string TrimZeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string Fraction(uint64_t value, uint64_t unit, int digits) {
  return TrimZeros(fmt::format("{}.{:0{}}", value / unit, value % unit, digits));
}

}  // namespace

std::optional<Duration> ParseGoDuration(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return Duration{};
  if (text.empty()) return std::nullopt;
  Wide total = 0;
  while (!text.empty()) {
    const std::optional<Wide> part = TakePart(text);
    if (!part || *part > kLimit) return std::nullopt;
    total += *part;
    if (total > kLimit) return std::nullopt;
  }
  if (!negative && total == kLimit) return std::nullopt;
  if (total == kLimit) return Duration(std::numeric_limits<int64_t>::min());
  const auto magnitude = static_cast<int64_t>(total);
  return Duration(negative ? -magnitude : magnitude);
}

std::string FormatGoDuration(Duration duration) {
  const int64_t count = duration.count();
  const std::string sign = count < 0 ? "-" : "";
  const uint64_t magnitude = count < 0 ? ~static_cast<uint64_t>(count) + 1 : static_cast<uint64_t>(count);
  if (magnitude == 0) return "0s";
  if (magnitude < 1'000) return fmt::format("{}{}ns", sign, magnitude);
  if (magnitude < 1'000'000) return sign + Fraction(magnitude, 1'000, 3) + "\u00b5s";
  if (magnitude < 1'000'000'000) return sign + Fraction(magnitude, 1'000'000, 6) + "ms";
  const uint64_t minutes = magnitude / 60'000'000'000;
  const std::string seconds = Fraction(magnitude % 60'000'000'000, 1'000'000'000, 9) + "s";
  if (minutes == 0) return sign + seconds;
  if (minutes < 60) return fmt::format("{}{}m{}", sign, minutes, seconds);
  return fmt::format("{}{}h{}m{}", sign, minutes / 60, minutes % 60, seconds);
}

}  // namespace berth::config
