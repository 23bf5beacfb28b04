// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <vector>

namespace berth::simulator {

// The claims a cluster would create for a pod's ephemeral volumes, as documents. The pod must have a name and a uid.
std::vector<api::Value> EphemeralClaimsOf(const api::Value& pod);

}  // namespace berth::simulator
