// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kTaintToleration = "TaintToleration";

// Keeps pods off nodes whose taints they do not tolerate, and away from those they would rather avoid.
framework::PluginEntry TaintTolerationEntry();

}  // namespace berth::plugins
