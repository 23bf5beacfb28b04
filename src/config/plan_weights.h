// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/types.h"
#include "framework/registry.h"

#include <optional>
#include <string>

namespace berth::config {

// A score plugin's weight: its own entry's, else that of multiPoint; none or zero counts one.
int32_t ScoreWeight(const PluginSets& sets, std::string_view plugin);

// Why the weighted scores of the profile would not fit 64 bits, if so.
std::optional<std::string> CheckWeights(const ProfileConfig& profile, const framework::Registry& registry);

}  // namespace berth::config
