// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

namespace berth::config {

// The extenders of a Policy with v1's field names and duration texts; null when it has none. Policies spelt field
// names in any case and wrote timeouts as nanoseconds.
api::Value ConvertPolicyExtenders(const api::Value& policy);

}  // namespace berth::config
