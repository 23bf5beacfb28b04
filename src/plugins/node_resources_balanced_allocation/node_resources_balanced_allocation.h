// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kNodeResourcesBalancedAllocation = "NodeResourcesBalancedAllocation";

// Prefers nodes whose resources the pod brings nearer to being used evenly.
framework::PluginEntry NodeResourcesBalancedAllocationEntry();

}  // namespace berth::plugins
