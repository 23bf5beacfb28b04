// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace berth::config {

// The first document of a YAML stream; the rest is never parsed and need not be well-formed. JSON is returned whole.
std::string_view FirstDocument(std::string_view text);

}  // namespace berth::config
