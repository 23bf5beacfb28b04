// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/fields/field_errors.h"
#include "config/plan.h"

namespace berth::config {

// Determines which plugins of a profile run at which point. Problems get no prefix; with any, the plan is not valid.
ProfilePlan PlanProfile(const ProfileConfig& profile, const framework::Registry& registry,
                        std::vector<PlanProblem>& problems);

}  // namespace berth::config
