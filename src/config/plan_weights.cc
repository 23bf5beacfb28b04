// SPDX-License-Identifier: Apache-2.0
#include "config/plan_weights.h"

#include "config/known_plugins.h"

#include <algorithm>
#include <limits>
#include <set>

namespace berth::config {
namespace {

constexpr int64_t kMaxScore = 100;

// Upstream's own arithmetic: it wraps around, and therefore rejects a negative weight ahead of another.
template <typename ServesPoint>
bool CouldOverflow(const std::vector<PluginRef>& specific, const std::vector<PluginRef>& multi_point,
                   const ServesPoint& serves) {
  std::set<std::string_view> seen;
  int64_t total = 0;
  for (const std::vector<PluginRef>* list : {&specific, &multi_point}) {
    for (const PluginRef& plugin : *list) {
      if (!serves(plugin.name) || !seen.insert(plugin.name).second) continue;
      const int64_t share = (plugin.weight == 0 ? 1 : int64_t{plugin.weight}) * kMaxScore;
      const auto room = static_cast<int64_t>(static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) -
                                             static_cast<uint64_t>(total));
      if (share > room) return true;
      total += share;
    }
  }
  return false;
}

}  // namespace

int32_t ScoreWeight(const PluginSets& sets, std::string_view plugin) {
  for (const std::vector<PluginRef>* list :
       {&sets.at(framework::ExtensionPoint::Score).enabled, &sets.multi_point.enabled}) {
    const auto found = std::ranges::find(*list, plugin, &PluginRef::name);
    if (found != list->end()) return found->weight == 0 ? 1 : found->weight;
  }
  return 1;
}

std::optional<std::string> CheckWeights(const ProfileConfig& profile, const framework::Registry& registry) {
  const PluginSets& sets = profile.plugins;
  const auto scores = [&](const std::string& name) {
    const framework::PluginEntry* entry = registry.Find(name);
    return entry != nullptr && entry->points.Has(framework::ExtensionPoint::Score);
  };
  if (CouldOverflow(sets.at(framework::ExtensionPoint::Score).enabled, sets.multi_point.enabled, scores)) {
    return "score plugins: total score of Score plugins could overflow";
  }
  const auto places = [](const std::string& name) { return ServesPlacement(name, PlacementPoint::Score); };
  if (CouldOverflow(sets.placement_score.enabled, sets.multi_point.enabled, places)) {
    return "placement score plugins: total score of Score plugins could overflow";
  }
  return std::nullopt;
}

}  // namespace berth::config
