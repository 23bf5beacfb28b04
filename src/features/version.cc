// SPDX-License-Identifier: Apache-2.0
#include "features/version.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::features {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct Parts {
  std::vector<std::string_view> numbers;
  std::string_view rest;  // what follows the numbers
};

// Splits " v1.34.0-rc.1" into 1, 34, 0 and "-rc.1". Without numbers it is not a version.
Parts Split(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  if (text.starts_with('v')) text.remove_prefix(1);
  Parts parts;
  while (!text.empty() && IsDigit(text.front())) {
    const auto end = std::find_if_not(text.begin(), text.end(), IsDigit);
    const auto length = static_cast<size_t>(end - text.begin());
    parts.numbers.push_back(text.substr(0, length));
    text.remove_prefix(length);
    const bool another = text.size() > 1 && text[0] == '.' && IsDigit(text[1]);
    if (!another) break;
    text.remove_prefix(1);
  }
  parts.rest = text;
  return parts;
}

}  // namespace

std::string Version::Text() const { return fmt::format("{}.{}", major, minor); }

Version Version::PreviousMinor() const { return minor == 0 ? *this : Version{major, minor - 1}; }

Result<Version> ParseVersion(std::string_view text, std::string_view component) {
  const Parts parts = Split(text);
  if (parts.numbers.empty()) return InvalidError(fmt::format("could not parse \"{}\" as version", text));
  if (parts.numbers.size() < 2) return InvalidError(fmt::format("illegal version string \"{}\"", text));
  if (const std::string_view first = parts.numbers[0]; first.starts_with('0') && first != "0") {
    return InvalidError(fmt::format("illegal zero-prefixed version component \"{}\" in \"{}\"", first, text));
  }
  std::vector<uint64_t> numbers;
  for (const std::string_view digits : parts.numbers) {
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), numbers.emplace_back());
    if (read.ec == std::errc()) continue;
    return InvalidError(
        fmt::format("illegal non-numeric version component \"{0}\" in \"{1}\": "
                    "strconv.ParseUint: parsing \"{0}\": value out of range",
                    digits, text));
  }
  if (numbers.size() > 2 && numbers[2] != 0) {
    const std::string_view suffix = numbers.size() == 3 ? parts.rest : "";
    return InvalidError(
        fmt::format("patch version not allowed, got: {}={}{}", component, fmt::join(numbers, "."), suffix));
  }
  return Version{numbers[0], numbers[1]};
}

}  // namespace berth::features
