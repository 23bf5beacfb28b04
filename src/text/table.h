// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text/painter.h"

#include <string>
#include <utility>
#include <vector>

namespace berth::text {

struct Cell {
  std::string text;
  Tone tone = Tone::Plain;
};

// Columns of text, each as wide as its widest cell, two spaces apart.
class Table {
 public:
  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  void AlignRight(size_t column) { right_.push_back(column); }
  void Add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::string ToText(const Painter& paint, size_t indent = 0) const;

 private:
  std::vector<std::string> headings_;
  std::vector<size_t> right_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace berth::text
