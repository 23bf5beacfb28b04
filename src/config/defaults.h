// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/types.h"
#include "framework/registry.h"

namespace berth::config {

// Completes a decoded configuration as upstream does: the default plugins merged into every profile, arguments for
// every enabled plugin that has a type for them, and the values of what was left out. `config.features` is set already.
void ApplyDefaults(SchedulerConfiguration& config, const framework::Registry& registry);

// What an empty file means.
SchedulerConfiguration DefaultConfiguration(const framework::Registry& registry,
                                            const features::FeatureGates& gates = {});

}  // namespace berth::config
