// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "config/profile_plan.h"
#include "config/types.h"
#include "framework/registry.h"

#include <string>
#include <vector>

namespace berth::config {

// A reason why a valid configuration cannot be built.
struct PlanProblem {
  std::string message;
  std::string plugin;  // the plugin concerned, if any; used to find the position in the file
  size_t profile = 0;  // its index
};

// The plans of all profiles, or every reason why they cannot be made. `config` must be defaulted and valid. Extenders
// are handled first, as upstream builds them first: their files must be readable, and the resources they want ignored
// replace NodeResourcesFit's ignoredResources in every profile.
struct PlanOutcome {
  std::vector<ProfilePlan> plans;
  std::vector<PlanProblem> problems;
};
PlanOutcome PlanAll(const SchedulerConfiguration& config, const framework::Registry& registry);

// The same with the first problem as the error.
Result<std::vector<ProfilePlan>> PlanProfiles(const SchedulerConfiguration& config,
                                              const framework::Registry& registry);

// The extenders in the order they are called: ignorable ones come last.
std::vector<Extender> OrderedExtenders(const std::vector<Extender>& extenders);

}  // namespace berth::config
