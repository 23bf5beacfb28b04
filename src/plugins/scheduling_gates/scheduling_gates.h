// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kSchedulingGates = "SchedulingGates";

// Keeps a pod out of the queue while its spec lists scheduling gates.
framework::PluginEntry SchedulingGatesEntry();

}  // namespace berth::plugins
