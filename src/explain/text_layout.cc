// SPDX-License-Identifier: Apache-2.0
#include "explain/text_layout.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::explain {
namespace {

constexpr std::string_view kGap = "  ";

std::string TrimmedRight(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

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

void TextTable::AlignRight(size_t column) { right_.push_back(column); }

std::string TextTable::ToText(const Painter& paint, size_t indent) const {
  std::vector<size_t> widths;
  for (const std::string& heading : headings_) widths.push_back(DisplayWidth(heading));
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], DisplayWidth(Printable(row[c].text)));
  }
  const auto line_of = [&](const std::vector<Cell>& row) {
    std::string line(indent, ' ');
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string text = Printable(row[c].text);
      const std::string padding(widths[c] - DisplayWidth(text), ' ');
      const bool right = std::find(right_.begin(), right_.end(), c) != right_.end();
      if (c != 0) line += kGap;
      line += right ? padding + paint(row[c].tone, text) : paint(row[c].tone, text) + padding;
    }
    return TrimmedRight(std::move(line)) + "\n";
  };
  std::vector<Cell> headings;
  for (const std::string& heading : headings_) headings.push_back({heading, Tone::Quiet});
  std::string out = line_of(headings);
  for (const auto& row : rows_) out += line_of(row);
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

}  // namespace berth::explain
