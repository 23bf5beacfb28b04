// SPDX-License-Identifier: Apache-2.0
#include "config/diff.h"

#include "config/convert/edit.h"
#include "config/diff_points.h"
#include "config/encode.h"
#include "config/plan.h"
#include "config/plugin_arguments.h"

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::config {
namespace {

using api::Value;
using Leaves = std::map<std::string, std::string>;

// Every scalar of a document, by path.
void Flatten(const Value& value, const std::string& path, Leaves& leaves) {
  for (const Value::Member& member : value.members()) {
    Flatten(member.value, path.empty() ? member.key : path + "." + member.key, leaves);
  }
  for (size_t i = 0; i < value.items().size(); ++i) Flatten(value.items()[i], fmt::format("{}[{}]", path, i), leaves);
  if (!value.is_map() && !value.is_list()) leaves[path] = value.text().empty() ? "\"\"" : value.text();
}

std::string DiffLeaves(const Value& before, const Value& after, std::string_view indent) {
  Leaves old_leaves;
  Leaves new_leaves;
  Flatten(before, "", old_leaves);
  Flatten(after, "", new_leaves);
  std::string text;
  for (const auto& [path, value] : old_leaves) {
    const auto found = new_leaves.find(path);
    if (found == new_leaves.end()) {
      text += fmt::format("{}- {}: {}\n", indent, path, value);
    } else if (found->second != value) {
      text += fmt::format("{}{}: {} -> {}\n", indent, path, value, found->second);
    }
  }
  for (const auto& [path, value] : new_leaves) {
    if (!old_leaves.contains(path)) text += fmt::format("{}+ {}: {}\n", indent, path, value);
  }
  return text;
}

std::string DiffTopLevel(const SchedulerConfiguration& before, const SchedulerConfiguration& after) {
  Value old_root = EncodeConfiguration(before);
  Value new_root = EncodeConfiguration(after);
  for (const std::string_view key : {"profiles", "extenders"}) {
    Take(old_root, key);
    Take(new_root, key);
  }
  return DiffLeaves(old_root, new_root, "");
}

std::string DiffExtenders(const std::vector<Extender>& extenders) {
  std::string text;
  for (const Extender& extender : extenders) {
    std::vector<std::string> verbs;
    if (!extender.filter_verb.empty()) verbs.emplace_back("filter");
    if (!extender.prioritize_verb.empty()) verbs.push_back(fmt::format("prioritize (weight {})", extender.weight));
    if (!extender.preempt_verb.empty()) verbs.emplace_back("preempt");
    if (!extender.bind_verb.empty()) verbs.emplace_back("bind");
    text += fmt::format("+ extender {}: {}{}\n", extender.url_prefix, fmt::join(verbs, ", "),
                        extender.ignorable ? "; may fail" : "");
  }
  return text;
}

std::string DiffArgs(const ProfileConfig& before, const ProfileConfig& after) {
  std::string text;
  for (const PluginConfig& config : after.plugin_config) {
    const PluginConfig* old_config = before.FindConfig(config.name);
    const Value old_args = old_config == nullptr ? Value::Map() : EncodeArgs(*old_config);
    const std::string changes = DiffLeaves(old_args, EncodeArgs(config), "    ");
    if (!changes.empty()) text += fmt::format("  arguments of {}\n{}", config.name, changes);
  }
  return text;
}

}  // namespace

std::string DiffFromDefaults(const PlannedConfiguration& ours, const framework::Registry& registry) {
  const SchedulerConfiguration& config = ours.loaded.config;
  const SchedulerConfiguration defaults = DefaultConfiguration(registry, config.features);
  const PlanOutcome planned = PlanAll(defaults, registry);
  std::string text = DiffTopLevel(defaults, config) + DiffExtenders(config.extenders);
  if (planned.plans.empty()) return text;
  for (size_t i = 0; i < ours.plans.size(); ++i) {
    const ProfileConfig& profile = config.profiles[i];
    const bool is_new = ours.plans.size() > 1 || profile.scheduler_name != defaults.profiles.front().scheduler_name;
    std::string changes = DiffPoints(planned.plans.front(), ours.plans[i]);
    if (profile.percentage_of_nodes_to_score) {
      changes += fmt::format("  + percentageOfNodesToScore: {}\n", *profile.percentage_of_nodes_to_score);
    }
    changes += DiffArgs(defaults.profiles.front(), profile);
    if (changes.empty() && is_new) changes = "  as the default profile\n";
    if (!changes.empty()) text += fmt::format("profile {}\n{}", profile.scheduler_name, changes);
  }
  return text;
}

}  // namespace berth::config
