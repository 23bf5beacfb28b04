// SPDX-License-Identifier: Apache-2.0
#include "text/table.h"

#include "text/layout.h"

#include <algorithm>

namespace berth::text {
namespace {

constexpr std::string_view kGap = "  ";

std::string TrimmedRight(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

std::string Table::ToText(const Painter& paint, size_t indent) const {
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

}  // namespace berth::text
