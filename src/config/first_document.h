// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace berth::config {

// The part of a YAML stream that is its first document. What follows it is never read, so that it need not even be
// well-formed. JSON is returned whole.
std::string_view FirstDocument(std::string_view text);

}  // namespace berth::config
