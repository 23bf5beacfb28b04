// SPDX-License-Identifier: Apache-2.0
#include "log/module_levels.h"

#include <charconv>

#include <fmt/format.h>

namespace berth::log {
namespace {

bool MatchesText(std::string_view pattern, std::string_view text) {
  while (!pattern.empty() && pattern.front() != '*') {
    if (text.empty() || (pattern.front() != '?' && pattern.front() != text.front())) return false;
    pattern.remove_prefix(1);
    text.remove_prefix(1);
  }
  if (pattern.empty()) return text.empty();
  pattern.remove_prefix(1);
  for (;; text.remove_prefix(1)) {
    if (MatchesText(pattern, text)) return true;
    if (text.empty() || text.front() == '/') return false;
  }
}

}  // namespace

Result<std::vector<ModuleLevel>> ParseModuleLevels(std::string_view text) {
  std::vector<ModuleLevel> levels;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    if (item.empty()) continue;
    const size_t equals = item.find('=');
    const std::string_view number = equals == std::string_view::npos ? "" : item.substr(equals + 1);
    ModuleLevel level{std::string(item.substr(0, equals)), 0};
    const char* const end = number.data() + number.size();
    const auto [read, problem] = std::from_chars(number.data(), end, level.verbosity);
    if (level.pattern.empty() || problem != std::errc() || read != end || level.verbosity < 0) {
      return InvalidError(
          fmt::format("\"{}\" does not say how much a module logs: write PATTERN=N, for example queue=4", item));
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

bool MatchesModule(std::string_view pattern, std::string_view module) {
  if (pattern.find('/') == std::string_view::npos) module.remove_prefix(module.rfind('/') + 1);
  return MatchesText(pattern, module);
}

}  // namespace berth::log
