// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string_view>

namespace berth::plugins {

inline constexpr std::string_view kInterPodAffinity = "InterPodAffinity";

// Keeps pods together or apart: by the terms of the pod that is to be placed, and by those of the pods already there.
framework::PluginEntry InterPodAffinityEntry();

}  // namespace berth::plugins
