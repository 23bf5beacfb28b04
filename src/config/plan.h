// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "config/profile_plan.h"
#include "config/types.h"
#include "framework/registry.h"

#include <string>
#include <vector>

namespace berth::config {

// Something that keeps a valid configuration from being built.
struct PlanProblem {
  std::string message;
  std::string plugin;  // the plugin it is about, if any: tells where in the file to look
  size_t profile = 0;  // its profile
};

// The plans of all profiles, or everything that keeps them from being made. `config` must be defaulted and valid.
// Extenders come first, as upstream builds them first: their files must be readable, and resources they want ignored
// replace NodeResourcesFit's ignoredResources in every profile.
struct PlanOutcome {
  std::vector<ProfilePlan> plans;
  std::vector<PlanProblem> problems;
};
PlanOutcome PlanAll(const SchedulerConfiguration& config, const framework::Registry& registry);

// The same with the first problem as the error.
Result<std::vector<ProfilePlan>> PlanProfiles(const SchedulerConfiguration& config,
                                              const framework::Registry& registry);

// The extenders in the order they are asked: those that may fail come last.
std::vector<Extender> OrderedExtenders(const std::vector<Extender>& extenders);

}  // namespace berth::config
