// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kNodeName = "NodeName";

// Keeps a pod that names its node to that node.
framework::PluginEntry NodeNameEntry();

}  // namespace berth::plugins
