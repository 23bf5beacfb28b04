// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kNodePorts = "NodePorts";

// Keeps a pod off nodes where its host ports are taken.
framework::PluginEntry NodePortsEntry();

}  // namespace berth::plugins
