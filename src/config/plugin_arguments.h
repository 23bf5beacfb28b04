// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"
#include "config/types.h"
#include "framework/registry.h"

#include <string>
#include <string_view>

// The arguments of plugins. Only plugins know what they mean; here their kind is checked.
namespace berth::config {

// The arguments of one plugin: of its own type if the registry has one; otherwise RawArgs, or null when none are given.
// `args` may be null; `path` is their path in the document; defaults depend on the gates. Unknown fields, wrong types
// and arguments of another kind are added to `errors`.
framework::PluginArgsPtr DecodeArgs(const std::string& plugin, const api::Value* args, const std::string& path,
                                    const framework::Registry& registry, const features::FeatureGates& gates,
                                    api::DecodeErrors& errors);

// The arguments, with apiVersion and kind if they have their own type; null when there are none.
api::Value EncodeArgs(const PluginConfig& config);

// The arguments as TypedArgs; null when they are not.
const framework::TypedArgs* AsTyped(const PluginConfig& config);

// Returns whether the plugin is registered as taking no arguments.
bool TakesNoArgs(const framework::Registry& registry, std::string_view plugin);

}  // namespace berth::config
