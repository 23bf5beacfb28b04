// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"
#include "plugins/registry.h"

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace berth {
namespace {

using framework::ExtensionPoint;

// The cells of a Markdown table row, without the outer bars.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  for (size_t start = 1, bar = line.find('|', start); bar != std::string::npos; bar = line.find('|', start)) {
    const std::string cell = line.substr(start, bar - start);
    const size_t first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    start = bar + 1;
  }
  return cells;
}

// Plugin → (points, weight) as docs/plugins.md has them.
std::map<std::string, std::pair<std::string, std::string>> DocumentedPlugins() {
  std::map<std::string, std::pair<std::string, std::string>> plugins;
  std::ifstream file(BERTH_SOURCE_DIR "/docs/plugins.md");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const std::vector<std::string> cells = Cells(line);
    plugins[cells.at(0).substr(1, cells[0].size() - 2)] = {cells.at(1), cells.at(2)};
  }
  return plugins;
}

TEST(PluginTable, TellsPointsAndDefaultWeights) {
  const framework::Registry registry = plugins::InTreeRegistry();
  const auto outcome = config::LoadAndPlan(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", "default", registry);
  const auto* planned = std::get_if<config::PlannedConfiguration>(&outcome);
  ASSERT_NE(planned, nullptr);
  std::map<std::string, std::string> weights;
  for (const config::PlannedPlugin& plugin : planned->plans.at(0).at(ExtensionPoint::Score)) {
    weights[plugin.name] = std::to_string(plugin.weight);
  }
  std::map<std::string, std::pair<std::string, std::string>> real;
  for (const framework::PluginEntry& entry : registry.entries()) {
    std::vector<std::string_view> points;
    for (const ExtensionPoint point : framework::kExtensionPoints) {
      if (entry.points.Has(point)) points.push_back(framework::PointName(point));
    }
    real[entry.name] = {fmt::format("{}", fmt::join(points, ", ")), weights[entry.name]};
  }
  EXPECT_EQ(DocumentedPlugins(), real);
}

}  // namespace
}  // namespace berth
