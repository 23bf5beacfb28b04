// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/document.h"

#include <string_view>
#include <vector>

namespace berth::api {

// Reads JSON values that follow one another, with or without line breaks between them.
// `text` must be UTF-8 without NUL bytes.
Result<std::vector<Value>> ReadJson(std::string_view text, std::string_view source, const ReadLimits& limits);

}  // namespace berth::api
