// SPDX-License-Identifier: Apache-2.0
#include "api/quantity.h"

#include "api/label_syntax.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace berth::api {
namespace {

__extension__ using Int128 = __int128;

constexpr Int128 kNanosPerUnit = 1'000'000'000;
constexpr Int128 kNanosPerMilli = 1'000'000;
constexpr Int128 kMaxUnits = std::numeric_limits<int64_t>::max();
constexpr Int128 kMaxNanos = kMaxUnits * kNanosPerUnit;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The factor a suffix stands for: 10^decimal × 2^binary.
struct Scale {
  int32_t decimal = 0;
  int32_t binary = 0;
};

struct Suffix {
  std::string_view text;
  Scale scale;
};

constexpr std::array kSuffixes = {
    Suffix{"n", {-9, 0}},  Suffix{"u", {-6, 0}},  Suffix{"m", {-3, 0}},  Suffix{"", {0, 0}},
    Suffix{"k", {3, 0}},   Suffix{"M", {6, 0}},   Suffix{"G", {9, 0}},   Suffix{"T", {12, 0}},
    Suffix{"P", {15, 0}},  Suffix{"E", {18, 0}},  Suffix{"Ki", {0, 10}}, Suffix{"Mi", {0, 20}},
    Suffix{"Gi", {0, 30}}, Suffix{"Ti", {0, 40}}, Suffix{"Pi", {0, 50}}, Suffix{"Ei", {0, 60}},
};

std::optional<Scale> ParseSuffix(std::string_view text) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text == text) return suffix.scale;
  }
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  const std::optional<int64_t> exponent = ParseInteger(text.substr(1));
  if (!exponent) return std::nullopt;
  return Scale{static_cast<int32_t>(*exponent), 0};  // upstream keeps the low 32 bits as well
}

// A decimal number as its digits and where the point stands among (or beyond) them.
struct Decimal {
  std::string_view whole;
  std::string_view fraction;

  size_t size() const { return whole.size() + fraction.size(); }
  int digit(size_t i) const { return (i < whole.size() ? whole[i] : fraction[i - whole.size()]) - '0'; }
};

// The number times 10^decimal × 2^binary in nanos, rounded up; at most kMaxNanos.
Int128 Nanos(const Decimal& number, Scale scale) {
  const Int128 unit = Int128{1} << scale.binary;
  const auto size = static_cast<int64_t>(number.size());
  const int64_t point = static_cast<int64_t>(number.whole.size()) + scale.decimal;

  Int128 whole = 0;
  for (int64_t i = 0; i < point; ++i) {
    if (i >= size && whole == 0) break;  // zero stays zero however large the exponent
    whole = whole * 10 + (i < size ? number.digit(static_cast<size_t>(i)) : 0);
    if (whole * unit > kMaxUnits) return kMaxNanos;
  }

  // Digits after the point, last one first: dividing by ten step by step keeps everything within 128 bits, and the
  // nested floors equal the floor of the exact value.
  const Int128 nanos_per_unit = unit * kNanosPerUnit;
  Int128 fraction = 0;
  bool inexact = false;
  const auto shift_in = [&](int digit) {
    const Int128 sum = digit * nanos_per_unit + fraction;
    inexact = inexact || sum % 10 != 0;
    fraction = sum / 10;
  };
  for (int64_t i = size - 1; i >= std::max<int64_t>(point, 0); --i) shift_in(number.digit(static_cast<size_t>(i)));
  for (int64_t i = point; i < 0 && fraction != 0; ++i) shift_in(0);
  return std::min(whole * nanos_per_unit + fraction + (inexact ? 1 : 0), kMaxNanos);
}

std::string_view TakeDigits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, IsDigit);
  const std::string_view digits = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

int64_t RoundedAway(Int128 nanos, Int128 divisor) {
  const Int128 magnitude = ((nanos < 0 ? -nanos : nanos) + divisor - 1) / divisor;
  const Int128 capped = std::min(magnitude, kMaxUnits);
  return static_cast<int64_t>(nanos < 0 ? -capped : capped);
}

// Sums of many capped amounts stay far within 128 bits; the clamp keeps hostile ones there too.
Int128 Clamped(Int128 nanos) {
  constexpr Int128 kLimit = kMaxNanos * 1'000'000'000;
  return std::clamp(nanos, -kLimit, kLimit);
}

}  // namespace

Result<Quantity> Quantity::Parse(std::string_view text) {
  const auto fail = [text](std::string_view why) {
    return InvalidError(fmt::format("\"{}\" is not a quantity: {}", text, why));
  };
  if (text.empty()) return fail("it is empty");
  std::string_view rest = text;
  const bool negative = rest.front() == '-';
  if (negative || rest.front() == '+') rest.remove_prefix(1);
  Decimal number;
  number.whole = TakeDigits(rest);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    number.fraction = TakeDigits(rest);
  }
  const std::optional<Scale> scale = ParseSuffix(rest);
  if (!scale) return fail(fmt::format("unknown suffix \"{}\"", rest));
  // Upstream reads a bare suffix as zero, except where it has to take its slow path.
  const bool slow = scale->binary >= 50 || scale->decimal < -9;
  if (number.size() == 0 && slow) return fail("it has no digits");
  const Int128 nanos = Nanos(number, *scale);
  return Quantity(negative ? -nanos : nanos);
}

Quantity Quantity::FromInt(int64_t value) { return Quantity(value * kNanosPerUnit); }
Quantity Quantity::FromMilli(int64_t milli) { return Quantity(milli * kNanosPerMilli); }

int64_t Quantity::Value() const { return RoundedAway(nanos_, kNanosPerUnit); }
int64_t Quantity::MilliValue() const { return RoundedAway(nanos_, kNanosPerMilli); }

double Quantity::ToDouble() const { return static_cast<double>(nanos_) / static_cast<double>(kNanosPerUnit); }

Quantity Quantity::RoundedToMilli() const {
  const Int128 rest = nanos_ % kNanosPerMilli;
  if (rest == 0) return *this;
  return Quantity(nanos_ - rest + (nanos_ < 0 ? -kNanosPerMilli : kNanosPerMilli));
}

Quantity Quantity::operator+(const Quantity& other) const { return Quantity(Clamped(nanos_ + other.nanos_)); }
Quantity Quantity::operator-(const Quantity& other) const { return Quantity(Clamped(nanos_ - other.nanos_)); }

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (nanos_ == other.nanos_) return std::strong_ordering::equal;
  return nanos_ < other.nanos_ ? std::strong_ordering::less : std::strong_ordering::greater;
}

std::string Quantity::ToString() const {
  if (nanos_ == 0) return "0";
  constexpr std::array<std::string_view, 10> kNames = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  Int128 mantissa = nanos_;
  size_t name = 0;
  while (mantissa % 1000 == 0 && name + 1 < kNames.size()) {
    mantissa /= 1000;
    ++name;
  }
  return fmt::format("{}{}", mantissa, kNames[name]);
}

}  // namespace berth::api
