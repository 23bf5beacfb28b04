// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cmd/kube_flags.h"
#include "config/load.h"
#include "features/feature_gates.h"
#include "framework/registry.h"

#include <string>
#include <vector>

namespace berth::cmd {

// The configuration that the flags ask for, with its plans, by kube-scheduler's rules: that of the file which --config
// names, or else the default one with the deprecated flags that were given; in both, flags about leader election that
// were given precede.
Result<config::PlannedConfiguration> ConfigurationOf(const KubeFlags& kube, const framework::Registry& registry,
                                                     const features::FeatureGates& gates);

// The flags that were given though the file which --config names makes them meaningless.
std::vector<std::string> FlagsIgnoredForFile(const KubeFlags& kube);

// Writes a configuration as a v1 document.
Result<void> WriteConfiguration(const config::SchedulerConfiguration& config, const std::string& path);

}  // namespace berth::cmd
