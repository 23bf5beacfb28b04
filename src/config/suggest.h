// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

// The candidate that `word` is most likely a misspelling of; empty when none is close.
std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace berth::config
