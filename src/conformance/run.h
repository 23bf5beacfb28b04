// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/registry.h"

#include <cstdio>
#include <string>
#include <vector>

namespace berth::conformance {

struct RunOptions {
  std::vector<std::string> files;
  std::string only_case;  // an id: show its pods side by side instead of the summary
};

struct RunSummary {
  size_t passed = 0;
  size_t failed = 0;
};

// Judges the golden cases of the files and prints mismatches grouped by category and field, then "N passed, M failed".
// The error names the file that could not be read.
Result<RunSummary> Run(const RunOptions& options, const framework::Registry& registry, std::FILE* out);

}  // namespace berth::conformance
