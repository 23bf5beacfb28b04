// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kImageLocality = "ImageLocality";

// Prefers nodes that hold the pod's images already.
framework::PluginEntry ImageLocalityEntry();

}  // namespace berth::plugins
