// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kNodeResourcesFit = "NodeResourcesFit";

// Keeps a pod off nodes that lack the resources it asks for, and ranks the others by how full they would become.
framework::PluginEntry NodeResourcesFitEntry();

}  // namespace berth::plugins
