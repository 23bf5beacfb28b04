// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace berth::bench {

struct Figure {
  std::string name;
  size_t nodes = 0;
  std::string metric;
  double value = 0;
};

// Prints figures as a table, a row per name and metric, a column per node count.
void PrintTable(const std::vector<Figure>& figures);
// Writes one JSON object per line: {"name","nodes","metric","value"}. Returns whether it succeeded.
bool WriteJson(const std::vector<Figure>& figures, const std::string& path);

}  // namespace berth::bench
