// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::flags {

// The first record of comma-separated text as Go's encoding/csv reads it: a field in quotes may contain commas, line
// breaks and, doubled, quotes.
Result<std::vector<std::string>> ParseGoCsv(std::string_view text);
// Such a record without the line break.
std::string FormatGoCsv(const std::vector<std::string>& fields);

}  // namespace berth::flags
