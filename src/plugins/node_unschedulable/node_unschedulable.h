// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kNodeUnschedulable = "NodeUnschedulable";

// Keeps pods off cordoned nodes unless they tolerate that.
framework::PluginEntry NodeUnschedulableEntry();

}  // namespace berth::plugins
