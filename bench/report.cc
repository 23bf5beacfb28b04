// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace berth::bench {

void PrintTable(const std::vector<Figure>& figures) {
  std::vector<size_t> columns;
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Figure& figure : figures) {
    if (std::find(columns.begin(), columns.end(), figure.nodes) == columns.end()) columns.push_back(figure.nodes);
    const std::pair row(figure.name, figure.metric);
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  fmt::print("{:<33}{:<20}", "", "nodes");
  for (const size_t nodes : columns) fmt::print("{:>12}", nodes);
  fmt::print("\n");
  for (const auto& [name, metric] : rows) {
    fmt::print("{:<33}{:<20}", name, metric);
    for (const size_t nodes : columns) {
      const auto it = std::find_if(figures.begin(), figures.end(), [&](const Figure& figure) {
        return figure.name == name && figure.metric == metric && figure.nodes == nodes;
      });
      fmt::print("{:>12}", it == figures.end() ? "-" : fmt::format("{:.1f}", it->value));
    }
    fmt::print("\n");
  }
}

bool WriteJson(const std::vector<Figure>& figures, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  for (const Figure& figure : figures) {
    fmt::print(file,
               R"({{"name":"{}","nodes":{},"metric":"{}","value":{:.3f}}})"
               "\n",
               figure.name, figure.nodes, figure.metric, figure.value);
  }
  return std::fclose(file) == 0;
}

}  // namespace berth::bench
