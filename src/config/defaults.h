// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/types.h"

namespace berth::config {

// Completes a decoded configuration as upstream does: the default plugins merged into every profile, arguments for
// every enabled plugin that takes some, and the values of what was left out. `config.features` is set already.
void ApplyDefaults(SchedulerConfiguration& config);

// What an empty file means.
SchedulerConfiguration DefaultConfiguration(const features::FeatureGates& gates = {});

}  // namespace berth::config
