// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kVolumeZone = "VolumeZone";

// Keeps a pod to the zones and regions its bound volumes are labelled with.
framework::PluginEntry VolumeZoneEntry();

}  // namespace berth::plugins
