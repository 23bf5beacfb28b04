// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kGangScheduling = "GangScheduling";

// Upstream's gang scheduling is an alpha feature that is off, and then its plugin lets every pod pass. Configurations
// may name it all the same.
framework::PluginEntry GangSchedulingEntry();

}  // namespace berth::plugins
