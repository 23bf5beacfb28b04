// SPDX-License-Identifier: Apache-2.0
#include "flags/go_numbers.h"

#include "config/fields/field_errors.h"
#include "config/fields/go_duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace berth::flags {
namespace {

using config::Quoted;

Error BadSyntax(std::string_view function, std::string_view text) {
  return InvalidError(fmt::format("strconv.{}: parsing {}: invalid syntax", function, Quoted(text)));
}

Error OutOfRange(std::string_view function, std::string_view text) {
  return InvalidError(fmt::format("strconv.{}: parsing {}: value out of range", function, Quoted(text)));
}

// Takes the prefix that names a base from the front of the digits.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits.front() != '0') return 10;
  int base = 8;
  size_t prefix = 1;
  switch (digits[1]) {
    case 'x':
    case 'X': base = 16, prefix = 2; break;
    case 'b':
    case 'B': base = 2, prefix = 2; break;
    case 'o':
    case 'O': prefix = 2; break;
    default: break;
  }
  digits.remove_prefix(prefix);
  return base;
}

// The digits without their underscores; nothing when one does not separate two digits. After a prefix that names a
// base there may be one, too.
std::optional<std::string> WithoutUnderscores(std::string_view digits, bool prefixed) {
  std::string plain;
  bool may_separate = prefixed;
  for (const char c : digits) {
    if (c == '_') {
      if (!may_separate) return std::nullopt;
      may_separate = false;
      continue;
    }
    plain += c;
    may_separate = true;
  }
  if (digits.ends_with('_')) return std::nullopt;
  return plain;
}

std::string_view WithoutSign(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return text;
}

bool IsDigitOrPoint(char c) { return (c >= '0' && c <= '9') || c == '.'; }

}  // namespace

Result<bool> ParseGoBool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return BadSyntax("ParseBool", text);
}

Result<int64_t> ParseGoInt(std::string_view text, int bits) {
  constexpr std::string_view kFunction = "ParseInt";
  std::string_view digits = WithoutSign(text);
  const size_t length = digits.size();
  const int base = TakeBase(digits);
  const std::optional<std::string> plain = WithoutUnderscores(digits, digits.size() != length);
  if (!plain || plain->empty()) return BadSyntax(kFunction, text);
  uint64_t magnitude = 0;
  const char* const end = plain->data() + plain->size();
  const auto [read, problem] = std::from_chars(plain->data(), end, magnitude, base);
  if (problem == std::errc::invalid_argument || read != end) return BadSyntax(kFunction, text);
  const bool negative = text.starts_with('-');
  const uint64_t limit = (uint64_t{1} << static_cast<unsigned>(bits - 1)) - (negative ? 0 : 1);
  if (problem != std::errc() || magnitude > limit) return OutOfRange(kFunction, text);
  return static_cast<int64_t>(negative ? ~magnitude + 1 : magnitude);
}

Result<uint64_t> ParseGoUint(std::string_view text, int bits) {
  constexpr std::string_view kFunction = "ParseUint";
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, problem] = std::from_chars(text.data(), end, number);
  if (text.empty() || problem == std::errc::invalid_argument || read != end) return BadSyntax(kFunction, text);
  const bool fits = bits == 64 || number < (uint64_t{1} << static_cast<unsigned>(bits));
  if (problem != std::errc() || !fits) return OutOfRange(kFunction, text);
  return number;
}

Result<float> ParseGoFloat32(std::string_view text) {
  constexpr std::string_view kFunction = "ParseFloat";
  const std::string_view digits = WithoutSign(text);
  float number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [read, problem] = std::from_chars(digits.data(), end, number);
  if (digits.starts_with('-') || problem == std::errc::invalid_argument || read != end) {
    return BadSyntax(kFunction, text);
  }
  if (problem != std::errc()) return OutOfRange(kFunction, text);
  return text.starts_with('-') ? -number : number;
}

Result<Duration> ParseGoDurationText(std::string_view text) {
  if (const std::optional<Duration> duration = config::ParseGoDuration(text)) return *duration;
  std::string_view rest = WithoutSign(text);
  while (!rest.empty() && IsDigitOrPoint(rest.front())) {
    const std::string_view number = rest.substr(0, std::ranges::find_if_not(rest, IsDigitOrPoint) - rest.begin());
    if (number == "." || std::ranges::count(number, '.') > 1) break;
    rest.remove_prefix(number.size());
    const std::string_view unit = rest.substr(0, std::ranges::find_if(rest, IsDigitOrPoint) - rest.begin());
    if (unit.empty()) return InvalidError("time: missing unit in duration " + Quoted(text));
    if (!config::ParseGoDuration("0" + std::string(unit))) {
      return InvalidError(fmt::format("time: unknown unit {} in duration {}", Quoted(unit), Quoted(text)));
    }
    rest.remove_prefix(unit.size());
  }
  return InvalidError("time: invalid duration " + Quoted(text));
}

}  // namespace berth::flags
