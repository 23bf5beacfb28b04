// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"

#include <cstdint>
#include <string_view>

// Texts as Go's standard library reads them, with the messages of its errors.
namespace berth::flags {

Result<bool> ParseGoBool(std::string_view text);
// Prefixes 0x, 0o, 0b and a leading 0 choose the base, underscores may separate digits. `bits` is 32 or 64.
Result<int64_t> ParseGoInt(std::string_view text, int bits);
// Decimal digits only. `bits` may be less than 64.
Result<uint64_t> ParseGoUint(std::string_view text, int bits);
Result<float> ParseGoFloat32(std::string_view text);
Result<Duration> ParseGoDurationText(std::string_view text);

}  // namespace berth::flags
