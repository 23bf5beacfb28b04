// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kVolumeRestrictions = "VolumeRestrictions";

// Keeps pods apart that must not use one disk, or one ReadWriteOncePod claim, at the same time.
framework::PluginEntry VolumeRestrictionsEntry();

}  // namespace berth::plugins
