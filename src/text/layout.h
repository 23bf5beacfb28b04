// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::text {

// Objects come from anywhere: bytes that would steer a terminal become '?'.
std::string Printable(std::string_view text);

// How wide the text is on a terminal, counting a code point as one column.
size_t DisplayWidth(std::string_view text);

// Breaks text at spaces so that lines stay within `width`; each line starts with `indent` spaces and ends in a newline.
std::string Wrapped(std::string_view text, size_t indent, size_t width);

// "1 node", "2 nodes".
std::string Counted(size_t count, std::string_view noun);
// "a, b, c and 4 more".
std::string Listed(const std::vector<std::string>& names, size_t most = 3);

}  // namespace berth::text
