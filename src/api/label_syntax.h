// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace berth::api {

// What the API accepts as a label key ("name" or "dns.prefix/name") and as a label value.
bool IsLabelKey(std::string_view text);
bool IsLabelValue(std::string_view text);

// A whole decimal integer with an optional sign that fits int64: "7", "-3", "+5", "007".
std::optional<int64_t> ParseInteger(std::string_view text);

}  // namespace berth::api
