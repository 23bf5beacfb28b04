// SPDX-License-Identifier: Apache-2.0
#include "text/layout.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::text {

std::string Printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const bool is_c1 = byte == 0xC2U && next >= 0x80U && next <= 0x9FU;  // C1 control characters, UTF-8 encoded
    if (is_c1) ++i;
    clean += byte < 0x20U || byte == 0x7FU || is_c1 ? '?' : text[i];
  }
  return clean;
}

size_t DisplayWidth(std::string_view text) {
  // Bytes 10xxxxxx continue a code point.
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string Wrapped(std::string_view text, size_t indent, size_t width) {
  const std::string margin(indent, ' ');
  std::string out;
  std::string line;
  size_t start = 0;
  while (start < text.size()) {
    size_t end = text.find(' ', start);
    if (end == std::string_view::npos) end = text.size();
    const std::string word = Printable(text.substr(start, end - start));
    start = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && indent + DisplayWidth(line) + 1 + DisplayWidth(word) > width) {
      out += margin + line + "\n";
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) out += margin + line + "\n";
  return out;
}

std::string Counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string Listed(const std::vector<std::string>& names, size_t most) {
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(most);
  return fmt::format("{} and {} more", fmt::join(names.begin(), end, ", "), names.size() - most);
}

}  // namespace berth::text
