// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kPodTopologySpread = "PodTopologySpread";

// Spreads pods over topology domains: those the pod's own constraints name, or the profile's defaults.
framework::PluginEntry PodTopologySpreadEntry();

}  // namespace berth::plugins
