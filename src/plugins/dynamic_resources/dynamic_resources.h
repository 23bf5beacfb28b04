// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kDynamicResources = "DynamicResources";

// Refuses pods with resource claims, which Berth does not allocate; lets all others through.
framework::PluginEntry DynamicResourcesEntry();

}  // namespace berth::plugins
