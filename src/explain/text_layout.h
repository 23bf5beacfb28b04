// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/painter.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::explain {

// How wide the text is on a terminal, counting a code point as one column.
size_t DisplayWidth(std::string_view text);

// Breaks text at spaces so that lines stay within `width`; each line starts with `indent` spaces and ends in a newline.
std::string Wrapped(std::string_view text, size_t indent, size_t width);

struct Cell {
  std::string text;
  Tone tone = Tone::Plain;
};

// Columns of text, as wide as their widest cell, two spaces apart.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  void AlignRight(size_t column);
  void Add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::string ToText(const Painter& paint, size_t indent = 0) const;

 private:
  std::vector<std::string> headings_;
  std::vector<size_t> right_;
  std::vector<std::vector<Cell>> rows_;
};

// "1 node", "2 nodes".
std::string Counted(size_t count, std::string_view noun);
// "a, b, c and 4 more".
std::string Listed(const std::vector<std::string>& names, size_t most = 3);

}  // namespace berth::explain
