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

// The document of a lease object: {"holder":"…","expires":…}, the latter in nanoseconds since the Unix epoch.
std::string EncodeLease(std::string_view holder, Timestamp expires);
// Fails with Internal when the document is not one of EncodeLease's.
Result<Lease> DecodeLease(const Record& record);

}  // namespace berth::store
