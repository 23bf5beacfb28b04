// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kNodeVolumeLimits = "NodeVolumeLimits";

// Keeps the volumes attached to a node within what each CSI driver can attach there.
framework::PluginEntry NodeVolumeLimitsEntry();

}  // namespace berth::plugins
