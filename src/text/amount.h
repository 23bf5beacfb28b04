// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::text {

// Formats an amount given in the scheduler's units (millicores, bytes, counts): "500m", "8", "1.5Gi", "2". Byte amounts
// without a short exact form are rounded to one decimal.
std::string AmountText(std::string_view resource, int64_t amount);

// The same without rounding: parses back to exactly `amount`.
std::string ExactAmount(std::string_view resource, int64_t amount);

// "37%"; "-" when `whole` is not positive.
std::string PercentText(int64_t part, int64_t whole);

}  // namespace berth::text
