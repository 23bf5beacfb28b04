// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::text {

// Replaces control characters by '?': objects come from untrusted sources and must not control the terminal.
std::string Printable(std::string_view text);

// The width of the text on a terminal, counting each code point as one column.
size_t DisplayWidth(std::string_view text);

// Breaks text at spaces so that lines stay within `width` unless a single word is longer; each line starts with
// `indent` spaces and ends in a newline.
std::string Wrapped(std::string_view text, size_t indent, size_t width);

// "1 node", "2 nodes".
std::string Counted(size_t count, std::string_view noun);
// "a, b, c and 4 more".
std::string Listed(const std::vector<std::string>& names, size_t most = 3);

}  // namespace berth::text
