// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kNodeDeclaredFeatures = "NodeDeclaredFeatures";

// Keeps a pod off nodes that do not declare the features its spec depends on.
framework::PluginEntry NodeDeclaredFeaturesEntry();

}  // namespace berth::plugins
