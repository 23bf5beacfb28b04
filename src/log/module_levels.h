// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::log {

// The verbosity of the modules that match a pattern.
struct ModuleLevel {
  std::string pattern;
  int verbosity = 0;
};

// Parses "queue=4,plugins/*=2".
Result<std::vector<ModuleLevel>> ParseModuleLevels(std::string_view text);

// Returns whether the pattern matches the module; * stands for any text without a slash, ? for one character. A pattern
// without a slash is matched against the last part of the module's name only.
bool MatchesModule(std::string_view pattern, std::string_view module);

}  // namespace berth::log
