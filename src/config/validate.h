// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/fields/field_errors.h"
#include "config/types.h"

namespace berth::config {

// Everything wrong with a defaulted configuration that shows without building plugins; each message begins with the
// path of the field it is about.
Messages Validate(const SchedulerConfiguration& config);

}  // namespace berth::config
