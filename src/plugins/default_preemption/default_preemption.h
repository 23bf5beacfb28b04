// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kDefaultPreemption = "DefaultPreemption";

// When a pod fits nowhere, looks for the node where evicting the least important pods makes it fit.
framework::PluginEntry DefaultPreemptionEntry();

}  // namespace berth::plugins
