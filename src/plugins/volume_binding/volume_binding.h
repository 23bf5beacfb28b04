// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kVolumeBinding = "VolumeBinding";

// Keeps a pod to nodes its bound volumes reach, and finds volumes, or room for new ones, for claims that wait for the
// pod's node.
framework::PluginEntry VolumeBindingEntry();

}  // namespace berth::plugins
