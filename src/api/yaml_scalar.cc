// SPDX-License-Identifier: Apache-2.0
#include "api/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>

#include <fmt/format.h>

namespace berth::api {
namespace {

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNullWord(std::string_view text) { return IsOneOf(text, {"", "~", "null", "Null", "NULL"}); }
bool IsTrueWord(std::string_view text) {
  return IsOneOf(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"});
}
bool IsFalseWord(std::string_view text) {
  return IsOneOf(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"});
}
bool IsNotFiniteWord(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) return IsOneOf(text.substr(1), {".inf", ".Inf", ".INF"});
  return IsOneOf(text, {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"});
}

// A whole number with an optional sign, in base 2, 8, 10 or 16 by its prefix; in decimal spelling.
std::optional<std::string> NormalInteger(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool has_sign = negative || text.starts_with('+');
  if (has_sign) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  // Only numbers without a sign may use the whole unsigned range.
  constexpr uint64_t kMinMagnitude = uint64_t{1} << 63U;
  if (has_sign && magnitude > kMinMagnitude - (negative ? 0 : 1)) return std::nullopt;
  return (negative && magnitude != 0 ? "-" : "") + std::to_string(magnitude);
}

// [-+]?(.d+ | d+[.d*])([eE][-+]?d+)?
bool HasFloatForm(std::string_view text) {
  const auto skip_digits = [&] {
    const size_t before = text.size();
    while (!text.empty() && IsDigit(text.front())) text.remove_prefix(1);
    return before - text.size();
  };
  const auto skip_sign = [&] {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  };
  skip_sign();
  const size_t whole = skip_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (skip_digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  skip_sign();
  return skip_digits() > 0 && text.empty();
}

// The shortest digits that read back as the same double, laid out as Go's JSON encoder does: 1.5, 1e-9, 1e+21.
std::string JsonSpelling(double number) {
  std::array<char, 32> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const size_t e = text.find('e');
  int exponent = 0;
  const char* digits_of_exponent = text.data() + e + (text[e + 1] == '+' ? 2 : 1);  // from_chars takes no plus sign
  std::from_chars(digits_of_exponent, end, exponent);
  const bool negative = text.front() == '-';
  const std::string sign = negative ? "-" : "";
  std::string digits(text.substr(negative ? 1 : 0, e - (negative ? 1 : 0)));
  std::erase(digits, '.');

  if (number != 0 && (exponent < -6 || exponent >= 21)) {
    const std::string fraction = digits.size() > 1 ? "." + digits.substr(1) : "";
    return fmt::format("{}{}{}e{:+}", sign, digits[0], fraction, exponent);
  }
  if (exponent < 0) return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0');
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

// Go reads ".1_2" only where each underscore stands between digits.
bool UnderscoresSeparateDigits(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') continue;
    if (i == 0 || i + 1 == text.size() || !IsDigit(text[i - 1]) || !IsDigit(text[i + 1])) return false;
  }
  return true;
}

std::optional<Value> NumberFrom(std::string_view text, Position at) {
  if (!HasFloatForm(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) {
    // Too small reads as zero; too large is no number to the upstream reader, hence text.
    const size_t e = text.find_first_of("eE");
    if (e == std::string_view::npos || text[e + 1] != '-') return std::nullopt;
    number = 0;
  }
  std::string spelling = JsonSpelling(number);
  const bool whole = spelling.find_first_of(".e") == std::string::npos;
  return Value::Number(whole ? Value::Kind::Int : Value::Kind::Float, std::move(spelling), at);
}

}  // namespace

Result<Value> ResolvePlainScalar(const std::string& text, Position at) {
  if (IsNullWord(text)) return Value::Null(at);
  if (IsTrueWord(text)) return Value::Bool(true, at);
  if (IsFalseWord(text)) return Value::Bool(false, at);
  if (IsNotFiniteWord(text)) return InvalidError(fmt::format("{} is not a number that JSON can hold", text));
  const char first = text.front();
  std::string plain = text;
  std::erase(plain, '_');
  if (first == '.') {
    std::optional<Value> number = UnderscoresSeparateDigits(text) ? NumberFrom(plain, at) : std::nullopt;
    if (number) return *std::move(number);
  } else if (IsDigit(first) || first == '-' || first == '+') {
    if (std::optional<std::string> integer = NormalInteger(plain)) {
      return Value::Number(Value::Kind::Int, *std::move(integer), at);
    }
    if (std::optional<Value> number = NumberFrom(plain, at)) return *std::move(number);
  }
  return Value::String(text, at);
}

Result<Value> ResolveTaggedScalar(std::string_view tag, const std::string& text, Position at) {
  constexpr std::string_view kStandard = "tag:yaml.org,2002:";
  if (!tag.starts_with(kStandard)) return Value::String(text, at);  // a private tag says nothing to us
  const std::string_view name = tag.substr(kStandard.size());
  if (name == "binary") return InvalidError("!!binary values are not supported");
  if (!IsOneOf(name, {"bool", "int", "float", "null"})) return Value::String(text, at);
  BERTH_ASSIGN_OR_RETURN(Value value, ResolvePlainScalar(text, at));
  const Value::Kind kind = value.kind();
  const bool fits = (name == "bool" && kind == Value::Kind::Bool) || (name == "null" && kind == Value::Kind::Null) ||
                    (name == "int" && kind == Value::Kind::Int) ||
                    (name == "float" && (kind == Value::Kind::Int || kind == Value::Kind::Float));
  if (!fits) return InvalidError(fmt::format("cannot decode `{}` as a !!{}", text, name));
  return value;
}

}  // namespace berth::api
