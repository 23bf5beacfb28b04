// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

namespace berth::config {

// The in-tree plugins by name and points only: enough to plan with, nothing to run.
framework::Registry TestRegistry();

}  // namespace berth::config
