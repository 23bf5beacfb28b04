// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/args/in_tree_args.h"
#include "config/field_errors.h"
#include "config/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

// Everything wrong with a defaulted configuration that shows without building plugins; each message begins with the
// path of the field it is about.
Messages Validate(const SchedulerConfiguration& config);

// The same for the arguments of one plugin; `path` is where they stand. NodeResourcesFit has none to report here.
Messages ValidateArgs(const PluginConfig& config, const std::string& path, const features::FeatureGates& gates);
Messages ValidateAddedAffinity(const api::NodeAffinity& affinity, const std::string& path);
Messages ValidateShape(const std::vector<UtilizationShapePoint>& shape, const std::string& path);

// Upstream checks these when it builds the plugin, so that a profile without the plugin may hold any.
// Paths begin inside the arguments.
Messages ValidateFitArgs(const NodeResourcesFitArgs& args);

}  // namespace berth::config
