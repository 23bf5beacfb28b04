// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kPrioritySort = "PrioritySort";

// Orders waiting pods: higher priority first, then whoever waits longer.
framework::PluginEntry PrioritySortEntry();

}  // namespace berth::plugins
