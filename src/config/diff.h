// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/load.h"

#include <string>

namespace berth::config {

// How a configuration differs from the defaults, as human-readable text: top-level fields, extenders, and for every
// profile the plugins of each point and their arguments. Empty when it does not.
std::string DiffFromDefaults(const PlannedConfiguration& ours, const framework::Registry& registry);

}  // namespace berth::config
