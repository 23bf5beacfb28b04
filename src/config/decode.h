// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"
#include "config/types.h"

namespace berth::config {

// Reads a v1 document strictly: unknown fields, wrong types and arguments of another kind are all noted in `errors`.
// apiVersion and kind must have been checked. Nothing is defaulted but the name of an only profile.
SchedulerConfiguration DecodeConfiguration(const api::Value& root, api::DecodeErrors& errors);

// The arguments of one plugin: a struct of config/args for in-tree plugins that take some, RawArgs for all others;
// null when there is nothing to hand over.
framework::PluginArgsPtr DecodeArgs(const std::string& plugin, const api::Value* args, const std::string& path,
                                    api::DecodeErrors& errors);

}  // namespace berth::config
