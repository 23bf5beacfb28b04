// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/profile_plan.h"

#include <string>

namespace berth::config {

// Per extension point: plugins added (+), removed (-), reweighted and moved. Empty when the plans are the same.
std::string DiffPoints(const ProfilePlan& before, const ProfilePlan& after);

}  // namespace berth::config
