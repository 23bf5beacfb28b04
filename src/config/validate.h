// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/fields/field_errors.h"
#include "config/types.h"

namespace berth::config {

// Everything wrong with a defaulted configuration that can be detected without building plugins; each message begins
// with the path of its field.
Messages Validate(const SchedulerConfiguration& config);

}  // namespace berth::config
