// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/fields/field_errors.h"
#include "config/types.h"
#include "framework/registry.h"

namespace berth::config {

// Checks what each extender needs to be called, and tells NodeResourcesFit of every profile to ignore the resources
// that extenders look after. Returns what is wrong.
Messages PrepareExtenders(SchedulerConfiguration& config, const framework::Registry& registry);

}  // namespace berth::config
