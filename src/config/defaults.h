// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/types.h"
#include "framework/registry.h"

namespace berth::config {

// Completes a decoded configuration as upstream does: merges the default plugins into every profile, adds arguments for
// every enabled plugin that has a type for them, and sets omitted fields. `config.features` must be set.
void ApplyDefaults(SchedulerConfiguration& config, const framework::Registry& registry);

// The configuration without a file.
SchedulerConfiguration DefaultConfiguration(const framework::Registry& registry,
                                            const features::FeatureGates& gates = {});

}  // namespace berth::config
