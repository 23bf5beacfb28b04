// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kNodeAffinity = "NodeAffinity";

// Holds a pod to its node selector and node affinity, and to the affinity that the profile adds.
framework::PluginEntry NodeAffinityEntry();

}  // namespace berth::plugins
