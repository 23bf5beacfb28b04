// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"
#include "config/types.h"
#include "framework/registry.h"

#include <string>
#include <string_view>

// The arguments of plugins. What they mean is known to the plugins alone; here their kind is checked.
namespace berth::config {

// The arguments of one plugin: its own type if the registry has one for it, null when nothing is given to any other
// plugin, RawArgs otherwise. `args` may be null; `path` is where they stand; defaults follow the gates. Unknown fields,
// wrong types and arguments of another kind are noted in `errors`.
framework::PluginArgsPtr DecodeArgs(const std::string& plugin, const api::Value* args, const std::string& path,
                                    const framework::Registry& registry, const features::FeatureGates& gates,
                                    api::DecodeErrors& errors);

// The arguments with apiVersion and kind for types of their own; null when there are none.
api::Value EncodeArgs(const PluginConfig& config);

// The arguments as a type that checks itself; null when they are none.
const framework::TypedArgs* AsTyped(const PluginConfig& config);

// Whether the registry says that the plugin takes no arguments.
bool TakesNoArgs(const framework::Registry& registry, std::string_view plugin);

}  // namespace berth::config
