// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/load.h"

#include <string>

namespace berth::config {

// What a configuration changes against the defaults, as text to read: top-level fields, extenders, and for every
// profile the plugins of each point and their arguments. Empty when it changes nothing.
std::string DiffFromDefaults(const PlannedConfiguration& ours, const framework::Registry& registry);

}  // namespace berth::config
