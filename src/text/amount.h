// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::text {

// An amount in the units scheduling counts in (thousandths of a cpu, bytes, pieces) as people write it: "500m", "8",
// "1.5Gi", "2". Amounts that have no short exact form are rounded to one decimal.
std::string AmountText(std::string_view resource, int64_t amount);

// The same without rounding: a quantity that reads back as the very amount.
std::string ExactAmount(std::string_view resource, int64_t amount);

// "37%"; "-" of nothing.
std::string PercentText(int64_t part, int64_t whole);

}  // namespace berth::text
