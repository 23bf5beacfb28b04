// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "framework/registry.h"

#include <memory>

namespace berth::config {

// The registry with the plugins that a v1 configuration brings along, by the arguments in its profiles' pluginConfig.
// Where it brings none, this refers to `registry`, which must outlive it. Arguments are not checked here.
std::shared_ptr<const framework::Registry> WithBroughtPlugins(const framework::Registry& registry,
                                                              const api::Value& configuration);

// Whether arguments are of the kind that brings a plugin along.
bool AreOfBroughtKind(const framework::Registry& registry, const api::Value& args);

}  // namespace berth::config
