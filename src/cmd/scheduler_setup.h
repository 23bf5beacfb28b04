// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/result.h"
#include "config/load.h"
#include "features/feature_gates.h"
#include "framework/registry.h"
#include "simulator/run/virtual_scheduler.h"

#include <iosfwd>
#include <string>

namespace berth::cmd {

// The configuration in a file, or kube-scheduler's default when `path` is empty, with its plans. Conversion notes and
// settings that are not supported here go to `err`.
Result<config::PlannedConfiguration> LoadPlanned(const std::string& path, const framework::Registry& registry,
                                                 const features::FeatureGates& gates, std::ostream& err);

// From now on the simulated scheduler asks the extenders of its configuration, except to bind.
void AskExtenders(simulator::SchedulerSetup& setup);

// A scheduler with this configuration. The registry that it was loaded with must outlive it.
simulator::SchedulerSetup SetupFor(config::PlannedConfiguration planned, uint64_t seed);

}  // namespace berth::cmd
