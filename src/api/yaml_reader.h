// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/document.h"

#include <string_view>
#include <vector>

namespace berth::api {

// Reads the YAML documents of a text; empty ones are left out. Aliases are replaced by copies and merge keys are
// carried out. `text` must be UTF-8 without NUL bytes.
Result<std::vector<Value>> ReadYaml(std::string_view text, std::string_view source, const ReadLimits& limits);

}  // namespace berth::api
