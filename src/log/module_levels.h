// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::log {

// How much the modules that match a pattern say.
struct ModuleLevel {
  std::string pattern;
  int verbosity = 0;
};

// Reads "queue=4,plugins/*=2".
Result<std::vector<ModuleLevel>> ParseModuleLevels(std::string_view text);

// Whether a pattern, in which * stands for any text without a slash and ? for one character, names the module. One
// without a slash is compared with the last part of the module's name only.
bool MatchesModule(std::string_view pattern, std::string_view module);

// The verbosity of a module: that of the first pattern that matches, or else the general one.
int VerbosityOf(std::string_view module, const std::vector<ModuleLevel>& levels, int general);

}  // namespace berth::log
