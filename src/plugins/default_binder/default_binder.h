// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kDefaultBinder = "DefaultBinder";

// Binds a pod to its node through the API.
framework::PluginEntry DefaultBinderEntry();

}  // namespace berth::plugins
