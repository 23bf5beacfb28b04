// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/types.h"
#include "framework/registry.h"

#include <optional>
#include <string>

namespace berth::config {

// A score plugin's weight: that of its entry at Score, otherwise that in multiPoint; none or zero means 1.
int32_t ScoreWeight(const PluginSets& sets, std::string_view plugin);

// Why the weighted scores of the profile could overflow 64 bits; nothing if they cannot.
std::optional<std::string> CheckWeights(const ProfileConfig& profile, const framework::Registry& registry);

}  // namespace berth::config
