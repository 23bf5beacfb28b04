// SPDX-License-Identifier: Apache-2.0
#include "config/convert/scoring.h"

#include "config/convert/edit.h"

#include <array>

#include <fmt/format.h>

namespace berth::config {
namespace {

using api::Value;

constexpr std::string_view kFit = "NodeResourcesFit";

struct Scorer {
  std::string_view plugin;
  std::string_view strategy;
};
constexpr std::array<Scorer, 3> kScorers = {{{"NodeResourcesLeastAllocated", "LeastAllocated"},
                                             {"NodeResourcesMostAllocated", "MostAllocated"},
                                             {"RequestedToCapacityRatio", "RequestedToCapacityRatio"}}};

struct Choice {
  Scorer scorer;
  int64_t weight = 0;
  bool named = false;  // in the enabled list, rather than running by default
};

std::optional<Choice> Choose(const ProfileEditor& profile, std::string_view by_default,
                             std::vector<std::string>& notes) {
  std::optional<Choice> best;
  for (const Scorer& scorer : kScorers) {
    const std::optional<int64_t> weight = profile.EnabledWeight("score", scorer.plugin);
    if (!weight && (scorer.plugin != by_default || profile.Disables("score", scorer.plugin))) continue;
    const Choice choice{scorer, weight.value_or(1), weight.has_value()};
    if (!best) {
      best = choice;
      continue;
    }
    const bool better = choice.weight > best->weight || (choice.weight == best->weight && !best->named);
    notes.push_back(fmt::format("{} scored beside {}; NodeResourcesFit has one strategy, the heavier was kept",
                                better ? best->scorer.plugin : choice.scorer.plugin,
                                better ? choice.scorer.plugin : best->scorer.plugin));
    if (better) best = choice;
  }
  return best;
}

Value Strategy(const Scorer& scorer, const std::optional<Value>& args) {
  Value strategy = Value::Map();
  strategy.Set("type", Value::String(std::string(scorer.strategy)));
  const Value* resources = args ? args->Find("resources") : nullptr;
  if (resources != nullptr) strategy.Set("resources", *resources);
  if (scorer.plugin != "RequestedToCapacityRatio") return strategy;
  const Value* shape = args ? args->Find("shape") : nullptr;
  if (shape == nullptr && args) shape = args->Find("functionShape");  // its name in v1alpha2
  Value ratio = Value::Map();
  if (shape != nullptr) ratio.Set("shape", *shape);
  strategy.Set("requestedToCapacityRatio", std::move(ratio));
  return strategy;
}

}  // namespace

void FoldResourceScorers(ProfileEditor& profile, std::string_view by_default, std::vector<std::string>& notes) {
  const std::optional<Choice> choice = Choose(profile, by_default, notes);
  std::optional<Value> args;
  for (const Scorer& scorer : kScorers) {
    std::optional<Value> taken = profile.TakeArgs(scorer.plugin);
    if (choice && choice->scorer.plugin == scorer.plugin) {
      args = std::move(taken);
      profile.Replace("score", scorer.plugin, kFit, choice->weight);
    }
    profile.Remove("score", "enabled", scorer.plugin);
    profile.Remove("score", "disabled", scorer.plugin);
  }
  if (!choice) {
    if (!profile.EnabledWeight("score", kFit)) profile.Disable("score", kFit);
    return;
  }
  const bool is_default = choice->scorer.strategy == "LeastAllocated" && (!args || args->Find("resources") == nullptr);
  if (is_default) return;
  Value* fit = profile.Args(kFit);
  if (fit != nullptr && fit->Find("scoringStrategy") == nullptr) {
    fit->Set("scoringStrategy", Strategy(choice->scorer, args));
  }
}

void KeepOldWeights(ProfileEditor& profile) {
  for (const std::string_view plugin : {"TaintToleration", "NodeAffinity", "InterPodAffinity"}) {
    if (profile.EnabledWeight("score", plugin) || profile.Disables("score", plugin)) continue;
    if (profile.Disables("multiPoint", plugin)) continue;
    // In multiPoint, an entry for a default plugin only changes its weight.
    profile.Enable("multiPoint", plugin, 1);
  }
}

}  // namespace berth::config
