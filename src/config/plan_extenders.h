// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/fields/field_errors.h"
#include "config/types.h"
#include "framework/registry.h"

namespace berth::config {

// Checks the connection settings of each extender, and makes NodeResourcesFit of every profile ignore the resources
// that extenders manage and want ignored. Returns the problems.
Messages PrepareExtenders(SchedulerConfiguration& config, const framework::Registry& registry);

}  // namespace berth::config
