// SPDX-License-Identifier: Apache-2.0
#include "config/diff_points.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::config {
namespace {

using Plugins = std::vector<PlannedPlugin>;

size_t PlaceOf(const Plugins& plugins, std::string_view name) {
  return static_cast<size_t>(std::ranges::find(plugins, name, &PlannedPlugin::name) - plugins.begin());
}

// The fewest plugins whose move explains the new order: those outside a longest common subsequence. Of equally long
// ones the later wins, because a file that names a plugin moves it to the front.
std::vector<size_t> Moved(const Plugins& before, const Plugins& after) {
  std::vector<size_t> kept;  // indices in `after` of plugins that both have
  for (size_t i = 0; i < after.size(); ++i) {
    if (PlaceOf(before, after[i].name) < before.size()) kept.push_back(i);
  }
  std::vector<size_t> length(kept.size(), 1);
  std::vector<size_t> previous(kept.size(), kept.size());
  size_t best = kept.size();
  for (size_t i = 0; i < kept.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool in_order = PlaceOf(before, after[kept[j]].name) < PlaceOf(before, after[kept[i]].name);
      if (in_order && length[j] + 1 >= length[i]) {
        length[i] = length[j] + 1;
        previous[i] = j;
      }
    }
    if (best == kept.size() || length[i] >= length[best]) best = i;
  }
  std::vector<bool> stayed(after.size(), false);
  for (size_t i = best; i < kept.size(); i = previous[i]) stayed[kept[i]] = true;
  std::erase_if(kept, [&](size_t i) { return stayed[i]; });
  return kept;
}

std::string WeightText(const PlannedPlugin& plugin) {
  return plugin.weight == 0 ? "" : fmt::format(" (weight {})", plugin.weight);
}

std::string DiffPoint(const Plugins& before, const Plugins& after) {
  std::string text;
  for (const PlannedPlugin& plugin : before) {
    if (PlaceOf(after, plugin.name) == after.size()) text += fmt::format("    - {}\n", plugin.name);
  }
  for (const PlannedPlugin& plugin : after) {
    const size_t place = PlaceOf(before, plugin.name);
    if (place == before.size()) {
      text += fmt::format("    + {}{}\n", plugin.name, WeightText(plugin));
    } else if (before[place].weight != plugin.weight) {
      text += fmt::format("    {}: weight {} -> {}\n", plugin.name, before[place].weight, plugin.weight);
    }
  }
  for (const size_t i : Moved(before, after)) {
    const std::string where = i == 0 ? "to the front" : fmt::format("after {}", after[i - 1].name);
    text += fmt::format("    {}: moved {}\n", after[i].name, where);
  }
  return text;
}

}  // namespace

std::string DiffPoints(const ProfilePlan& before, const ProfilePlan& after) {
  std::string text;
  for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
    const std::string changes = DiffPoint(before.at(point), after.at(point));
    if (!changes.empty()) text += fmt::format("  {}\n{}", framework::PointKey(point), changes);
  }
  return text;
}

}  // namespace berth::config
