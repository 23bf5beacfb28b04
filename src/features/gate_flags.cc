// SPDX-License-Identifier: Apache-2.0
#include "features/gate_flags.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace berth::features {
namespace {

constexpr std::string_view kComponent = "kube";
constexpr std::string_view kSpaces = " \t\n\v\f\r";

std::string Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1));
}

// The comma-separated items; empty ones are skipped.
std::vector<std::string_view> SplitList(std::string_view text) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) items.push_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

std::optional<bool> ParseBool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

Error UnknownComponent(std::string_view name) {
  return InvalidError(fmt::format("component not registered: {}", name));
}

// The version given by a flag, if any.
Result<std::optional<Version>> VersionFrom(const std::vector<std::string>& flag) {
  std::map<std::string, Version> versions;
  for (const std::string& given : flag) {
    for (const std::string_view item : SplitList(given)) {
      std::string component(kComponent);
      std::string text(item);
      if (const size_t equals = item.find('='); equals != std::string_view::npos) {
        component = Trimmed(item.substr(0, equals));
        text = Trimmed(item.substr(equals + 1));
      }
      BERTH_ASSIGN_OR_RETURN(const Version version, ParseVersion(text, component));
      const auto [known, is_new] = versions.emplace(component, version);
      if (!is_new) {
        return InvalidError(fmt::format("duplicate version flag, {0}={1} and {0}={2}", component, known->second.Text(),
                                        version.Text()));
      }
    }
  }
  for (const auto& [component, version] : versions) {
    if (component != kComponent) return UnknownComponent(component);
  }
  if (versions.empty()) return std::optional<Version>();
  return std::optional<Version>(versions.begin()->second);
}

// Gates grouped by their component prefix, in the order given.
std::map<std::string, std::vector<std::string>> ByComponent(const std::vector<std::string>& flag) {
  std::map<std::string, std::vector<std::string>> settings;
  for (const std::string& given : flag) {
    for (const std::string_view item : SplitList(given)) {
      const size_t colon = item.find(':');
      const bool prefixed = colon != std::string_view::npos;
      settings[prefixed ? Trimmed(item.substr(0, colon)) : ""].push_back(
          Trimmed(prefixed ? item.substr(colon + 1) : item));
    }
  }
  return settings;
}

Result<void> ReadSetting(std::string_view setting, std::map<std::string, bool>& values) {
  if (setting.empty()) return {};
  const size_t equals = setting.find('=');
  const std::string name = Trimmed(setting.substr(0, equals));
  if (equals == std::string_view::npos) return InvalidError("missing bool value for " + name);
  const std::string value = Trimmed(setting.substr(equals + 1));
  const std::optional<bool> on = ParseBool(value);
  if (!on) {
    return InvalidError(
        fmt::format("invalid value of {0}={1}, err: strconv.ParseBool: parsing \"{1}\": invalid syntax", name, value));
  }
  values[name] = *on;
  return {};
}

}  // namespace

Result<ParsedFlags> ParseFlags(const GateFlags& flags) {
  ParsedFlags parsed;
  BERTH_ASSIGN_OR_RETURN(const std::optional<Version> emulated, VersionFrom(flags.emulated_version));
  BERTH_ASSIGN_OR_RETURN(const std::optional<Version> compatible, VersionFrom(flags.min_compatibility_version));
  parsed.emulated = emulated.value_or(kOwnVersion);
  parsed.min_compatibility = compatible.value_or(std::max(parsed.emulated.PreviousMinor(), kOldestEmulated));
  const auto settings = ByComponent(flags.feature_gates);
  for (const auto& [component, list] : settings) {
    if (component.empty() && settings.contains(std::string(kComponent))) {
      return InvalidError(
          "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use");
    }
    if (!component.empty() && component != kComponent) return UnknownComponent(component);
    for (const std::string& setting : list) BERTH_RETURN_IF_ERROR(ReadSetting(setting, parsed.values));
  }
  return parsed;
}

std::vector<std::string> VersionProblems(const ParsedFlags& parsed) {
  std::vector<std::string> problems;
  if (parsed.emulated > kOwnVersion || parsed.emulated < kOldestEmulated) {
    problems.push_back(fmt::format("emulation version {} is not between [{}, {}.0]", parsed.emulated.Text(),
                                   kOldestEmulated.Text(), kOwnVersion.Text()));
  }
  if (parsed.min_compatibility > parsed.emulated || parsed.min_compatibility < kOldestEmulated) {
    problems.push_back(fmt::format("minCompatibilityVersion version {} is not between [{}, {}]",
                                   parsed.min_compatibility.Text(), kOldestEmulated.Text(), parsed.emulated.Text()));
  }
  return problems;
}

}  // namespace berth::features
