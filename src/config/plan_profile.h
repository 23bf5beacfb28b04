// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/fields/field_errors.h"
#include "config/plan.h"

namespace berth::config {

// Settles which plugins of one profile run where. Problems get no prefix; the plan is of use only without any.
ProfilePlan PlanProfile(const ProfileConfig& profile, const framework::Registry& registry,
                        std::vector<PlanProblem>& problems);

}  // namespace berth::config
