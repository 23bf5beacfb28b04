// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin_check/plugin_bench.h"
#include "text/style.h"

#include <span>
#include <string>
#include <vector>

namespace berth::plugin_check {

// What one plugin costs.
struct MeasuredPlugin {
  std::string name;
  std::vector<Cost> costs;
};

std::string BenchText(std::span<const MeasuredPlugin> plugins, const text::Style& style);

// A duration in a unit that suits it: "12.3 ns", "4.56 µs".
std::string NanosecondsText(double nanoseconds);

}  // namespace berth::plugin_check
