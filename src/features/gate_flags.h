// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/feature_gates.h"

#include <map>
#include <string>
#include <vector>

namespace berth::features {

// The parsed flags; the gates they name are not looked up yet.
struct ParsedFlags {
  Version emulated;
  Version min_compatibility;
  std::map<std::string, bool> values;
};
Result<ParsedFlags> ParseFlags(const GateFlags& flags);

// Versions outside the range kube-scheduler accepts, which it checks after everything else.
std::vector<std::string> VersionProblems(const ParsedFlags& parsed);

}  // namespace berth::features
