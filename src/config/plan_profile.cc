// SPDX-License-Identifier: Apache-2.0
#include "config/plan_profile.h"

#include "config/known_plugins.h"
#include "config/plan_weights.h"
#include "config/plugin_arguments.h"
#include "config/suggest.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace berth::config {
namespace {

using framework::ExtensionPoint;

// The order in which upstream checks the points: it decides which of several problems is reported first.
constexpr std::array kPlanOrder = {ExtensionPoint::PreFilter, ExtensionPoint::Filter,     ExtensionPoint::PostFilter,
                                   ExtensionPoint::Reserve,   ExtensionPoint::PreScore,   ExtensionPoint::Score,
                                   ExtensionPoint::PreBind,   ExtensionPoint::Bind,       ExtensionPoint::PostBind,
                                   ExtensionPoint::Permit,    ExtensionPoint::PreEnqueue, ExtensionPoint::QueueSort};

bool Names(const std::vector<PluginRef>& plugins, std::string_view name) {
  return std::ranges::any_of(plugins, [&](const PluginRef& plugin) { return plugin.name == name; });
}

class Planner {
 public:
  Planner(const ProfileConfig& profile, const framework::Registry& registry, std::vector<PlanProblem>& problems)
      : profile_(profile), sets_(profile.plugins), registry_(registry), problems_(problems) {}

  ProfilePlan Plan() {
    const size_t before = problems_.size();
    plan_.scheduler_name = profile_.scheduler_name;
    plan_.percentage_of_nodes_to_score = profile_.percentage_of_nodes_to_score;
    plan_.percentage_of_nodes_to_score = profile_.percentage_of_nodes_to_score;
    for (const ExtensionPoint point : kPlanOrder) CheckSet(point);
    CheckPlacementSet("PlacementGeneratePlugin", sets_.placement_generate, PlacementPoint::Generate);
    CheckPlacementSet("PlacementScorePlugin", sets_.placement_score, PlacementPoint::Score);
    CheckMultiPoint();
    if (problems_.size() != before) return plan_;  // later points would only repeat the problem
    for (const ExtensionPoint point : kPlanOrder) Expand(point);
    CheckCounts();
    if (const auto problem = CheckWeights(profile_, registry_)) Add(*problem);
    HandOverArgs();
    return plan_;
  }

 private:
  void Add(std::string message, std::string plugin = {}) {
    problems_.push_back({std::move(message), std::move(plugin), 0});
  }

  static std::string TypeName(ExtensionPoint point) { return std::string(framework::PointName(point)) + "Plugin"; }

  bool Known(const std::string& name) const { return registry_.Find(name) != nullptr || ServesPlacementOnly(name); }

  bool Serves(const std::string& name, ExtensionPoint point) const {
    const framework::PluginEntry* entry = registry_.Find(name);
    return entry != nullptr && entry->points.Has(point);
  }

  bool PointsKnown(const std::string& name) const {
    const framework::PluginEntry* entry = registry_.Find(name);
    return entry == nullptr || !entry->points_unknown;
  }

  // One problem per name: a misspelt name often occurs at several points.
  void AddUnknown(const std::string& type, const std::string& name) {
    if (!unknown_.insert(name).second) return;
    std::vector<std::string> names;
    for (const framework::PluginEntry& entry : registry_.entries()) names.push_back(entry.name);
    const std::string nearest = Nearest(name, names);
    Add(fmt::format("{} \"{}\" does not exist{}", type, name,
                    nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)),
        name);
  }

  template <typename ServesPoint>
  void CheckEnabled(const std::string& type, const std::vector<PluginRef>& enabled, const ServesPoint& serves) {
    std::set<std::string_view> seen;
    for (const PluginRef& plugin : enabled) {
      if (!Known(plugin.name)) {
        AddUnknown(type, plugin.name);
      } else if (!serves(plugin.name)) {
        Add(fmt::format("plugin \"{}\" does not extend {} plugin", plugin.name, type), plugin.name);
      } else if (!seen.insert(plugin.name).second) {
        Add(fmt::format("plugin \"{}\" already registered as \"{}\"", plugin.name, type), plugin.name);
      }
    }
  }

  void CheckSet(ExtensionPoint point) {
    CheckEnabled(TypeName(point), sets_.at(point).enabled,
                 [&](const std::string& name) { return Serves(name, point); });
  }

  void CheckPlacementSet(const std::string& type, const PluginSet& set, PlacementPoint point) {
    CheckEnabled(type, set.enabled, [&](const std::string& name) { return ServesPlacement(name, point); });
  }

  void CheckMultiPoint() {
    for (const PluginRef& plugin : sets_.multi_point.enabled) {
      if (!Known(plugin.name)) AddUnknown(TypeName(kPlanOrder.front()), plugin.name);
      if (!PointsKnown(plugin.name)) {
        Add(fmt::format("plugin \"{}\" is enabled at multiPoint, and nothing says which points it serves; list them in "
                        "its args, as in \"points: [Filter, Score]\"",
                        plugin.name),
            plugin.name);
      }
    }
  }

  // Entries of the point that are also in multiPoint come first, in the point's order; then the rest of multiPoint;
  // then the rest of the point.
  void Expand(ExtensionPoint point) {
    const PluginSet& set = sets_.at(point);
    std::vector<std::string> from_multi_point;
    std::set<std::string_view> overridden;
    if (!Names(set.disabled, "*")) {
      for (const PluginRef& plugin : sets_.multi_point.enabled) {
        if (!Serves(plugin.name, point) || Names(set.disabled, plugin.name)) continue;
        if (Names(set.enabled, plugin.name)) {
          overridden.insert(plugin.name);
        } else if (std::ranges::find(from_multi_point, plugin.name) != from_multi_point.end()) {
          Add(fmt::format("plugin \"{}\" already registered as \"{}\"", plugin.name, TypeName(point)), plugin.name);
        } else {
          from_multi_point.push_back(plugin.name);
        }
      }
    }
    for (const PluginRef& plugin : set.enabled) {
      if (overridden.contains(plugin.name)) Place(point, plugin.name);
    }
    for (const std::string& name : from_multi_point) Place(point, name);
    for (const PluginRef& plugin : set.enabled) {
      if (!overridden.contains(plugin.name)) Place(point, plugin.name);
    }
  }

  void Place(ExtensionPoint point, const std::string& name) {
    plan_.at(point).push_back({name, point == ExtensionPoint::Score ? ScoreWeight(sets_, name) : 0});
  }

  void CheckCounts() {
    const size_t sorters = plan_.at(ExtensionPoint::QueueSort).size();
    if (sorters != 1) {
      Add(fmt::format("only one queue sort plugin required for profile with scheduler name \"{}\", but got {}",
                      profile_.scheduler_name, sorters));
    }
    if (plan_.at(ExtensionPoint::Bind).empty()) {
      Add(fmt::format("at least one bind plugin is needed for profile with scheduler name \"{}\"",
                      profile_.scheduler_name));
    }
  }

  void HandOverArgs() {
    for (const PluginConfig& config : profile_.plugin_config) {
      if (config.args != nullptr && !TakesNoArgs(registry_, config.name)) plan_.args.emplace(config.name, config.args);
    }
  }

  const ProfileConfig& profile_;
  const PluginSets& sets_;
  const framework::Registry& registry_;
  std::vector<PlanProblem>& problems_;
  std::set<std::string> unknown_;
  ProfilePlan plan_;
};

}  // namespace

ProfilePlan PlanProfile(const ProfileConfig& profile, const framework::Registry& registry,
                        std::vector<PlanProblem>& problems) {
  return Planner(profile, registry, problems).Plan();
}

}  // namespace berth::config
