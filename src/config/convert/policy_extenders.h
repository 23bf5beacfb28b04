// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

namespace berth::config {

// The extenders of a Policy with v1's field names and duration format; null when it has none. Policy field names are
// case-insensitive, and timeouts are in nanoseconds.
api::Value ConvertPolicyExtenders(const api::Value& policy);

}  // namespace berth::config
