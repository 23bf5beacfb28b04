// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "store/record.h"
#include "store/store.h"

#include <string>
#include <string_view>

namespace berth::store {

Key LeaseKey(std::string_view name);

// The document of a lease object: {"holder":"…","expires":…}, the latter in nanoseconds since 1970.
std::string EncodeLease(std::string_view holder, Timestamp expires);
// Internal when somebody wrote something else there.
Result<Lease> DecodeLease(const Record& record);

}  // namespace berth::store
