// SPDX-License-Identifier: Apache-2.0
#include "flags/flag_value.h"

#include "config/fields/field_errors.h"
#include "config/fields/go_duration.h"
#include "flags/go_csv.h"
#include "flags/go_numbers.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::flags {
namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";

std::string_view TrimmedOf(std::string_view text, std::string_view what) {
  const size_t begin = text.find_first_not_of(what);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(what) - begin + 1);
}

// A value of one item: what `parse` makes of the text replaces it.
template <typename T, typename Parse, typename Text>
FlagValue Single(std::string type, T& variable, Parse parse, Text text) {
  const auto set = [&variable, parse](std::string_view given) -> Result<void> {
    auto parsed = parse(given);
    if (!parsed) return parsed.error();
    variable = static_cast<T>(*parsed);
    return {};
  };
  return {std::move(type), set, [&variable, text] { return text(variable); }};
}

// Go prints an IPv4 address in an IPv6 one as the former.
std::optional<std::string> CanonicalAddress(const std::string& text) {
  constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  std::array<uint8_t, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> canonical{};
  const void* address = bytes.data();
  int family = AF_INET;
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) != 1) {
    if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return std::nullopt;
    const bool mapped = std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
    family = mapped ? AF_INET : AF_INET6;
    if (mapped) address = bytes.data() + kMapped.size();
  }
  inet_ntop(family, address, canonical.data(), canonical.size());
  return std::string(canonical.data());
}

Result<std::vector<int32_t>> ParseInt32s(std::string_view text) {
  std::vector<int32_t> numbers;
  for (;;) {
    const std::string_view item = text.substr(0, text.find(','));
    BERTH_ASSIGN_OR_RETURN(const int64_t number, ParseGoInt(item, 32));
    numbers.push_back(static_cast<int32_t>(number));
    if (item.size() == text.size()) return numbers;
    text.remove_prefix(item.size() + 1);
  }
}

Result<std::vector<std::string>> Pairs(std::string_view text) {
  switch (std::ranges::count(text, '=')) {
    case 0: return InvalidError(fmt::format("{} must be formatted as key=value", text));
    case 1: return std::vector<std::string>{std::string(TrimmedOf(text, "\""))};
    default: return ParseGoCsv(text);
  }
}

}  // namespace

FlagValue BoolValue(bool& variable) {
  return Single("bool", variable, ParseGoBool, [](bool on) { return on ? "true" : "false"; });
}

FlagValue StringValue(std::string& variable) {
  const auto parse = [](std::string_view text) { return Result<std::string>(std::string(text)); };
  return Single("string", variable, parse, [](const std::string& text) { return text; });
}

FlagValue IntValue(int64_t& variable) {
  const auto parse = [](std::string_view text) { return ParseGoInt(text, 64); };
  return Single("int", variable, parse, [](int64_t number) { return std::to_string(number); });
}

FlagValue Int32Value(int32_t& variable) {
  const auto parse = [](std::string_view text) { return ParseGoInt(text, 32); };
  return Single("int32", variable, parse, [](int32_t number) { return std::to_string(number); });
}

FlagValue Float32Value(float& variable) {
  return Single("float32", variable, ParseGoFloat32, [](float number) { return fmt::format("{}", number); });
}

FlagValue DurationValue(Duration& variable) {
  return Single("duration", variable, ParseGoDurationText, config::FormatGoDuration);
}

FlagValue AddressValue(std::string& variable) {
  const auto set = [&variable](std::string_view text) -> Result<void> {
    if (text.empty()) return {};
    const std::optional<std::string> address = CanonicalAddress(std::string(TrimmedOf(text, kSpaces)));
    if (!address) return InvalidError("failed to parse IP: " + config::Quoted(text));
    variable = *address;
    return {};
  };
  return {"ip", set, [&variable] { return variable.empty() ? "<nil>" : variable; }};
}

FlagValue StringsValue(std::vector<std::string>& variable) {
  const auto set = [&variable, given = false](std::string_view text) mutable -> Result<void> {
    std::vector<std::string> items;
    if (!text.empty()) {
      BERTH_ASSIGN_OR_RETURN(items, ParseGoCsv(text));
    }
    if (!std::exchange(given, true)) variable.clear();
    variable.insert(variable.end(), items.begin(), items.end());
    return {};
  };
  return {"stringSlice", set, [&variable] { return fmt::format("[{}]", FormatGoCsv(variable)); }};
}

FlagValue Int32sValue(std::vector<int32_t>& variable) {
  const auto set = [&variable, given = false](std::string_view text) mutable -> Result<void> {
    BERTH_ASSIGN_OR_RETURN(const std::vector<int32_t> numbers, ParseInt32s(text));
    if (!std::exchange(given, true)) variable.clear();
    variable.insert(variable.end(), numbers.begin(), numbers.end());
    return {};
  };
  return {"int32Slice", set, [&variable] { return fmt::format("[{}]", fmt::join(variable, ",")); }};
}

FlagValue StringMapValue(std::map<std::string, std::string>& variable) {
  const auto set = [&variable, given = false](std::string_view text) mutable -> Result<void> {
    BERTH_ASSIGN_OR_RETURN(const std::vector<std::string> pairs, Pairs(text));
    std::map<std::string, std::string> map;
    for (const std::string& pair : pairs) {
      const size_t equals = pair.find('=');
      if (equals == std::string::npos) return InvalidError(pair + " must be formatted as key=value");
      map[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    if (!std::exchange(given, true)) variable.clear();
    for (auto& [key, value] : map) variable[key] = value;
    return {};
  };
  const auto text = [&variable] {
    std::vector<std::string> pairs;
    for (const auto& [key, value] : variable) pairs.push_back(fmt::format("{}={}", key, value));
    return fmt::format("[{}]", FormatGoCsv(pairs));
  };
  return {"stringToString", set, text};
}

}  // namespace berth::flags
