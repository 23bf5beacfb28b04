// SPDX-License-Identifier: Apache-2.0
#include "config/plan.h"

#include "api/document.h"
#include "config/fields/field_errors.h"
#include "config/plan_extenders.h"
#include "config/plan_profile.h"
#include "config/plugin_arguments.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::config {
namespace {

bool EnabledAnywhere(const PluginSets& sets, std::string_view name) {
  const auto enables = [&](const PluginSet& set) {
    return std::ranges::any_of(set.enabled, [&](const PluginRef& plugin) { return plugin.name == name; });
  };
  return enables(sets.multi_point) || enables(sets.placement_score) || std::ranges::any_of(sets.points, enables);
}

// Validates arguments that upstream checks only when it builds the plugin.
void CheckArgsOfBuiltPlugins(const ProfileConfig& profile, const features::FeatureGates& gates,
                             std::vector<PlanProblem>& problems) {
  for (const PluginConfig& config : profile.plugin_config) {
    const framework::TypedArgs* args = AsTyped(config);
    if (args == nullptr || !args->validated_when_built() || !EnabledAnywhere(profile.plugins, config.name)) continue;
    const Messages messages = args->Validate("", gates);
    if (messages.empty()) continue;
    problems.push_back({fmt::format("initializing plugin \"{}\": {}", config.name, Joined(messages)), config.name, 0});
  }
}

// All profiles share one queue: they must agree on the plugin that sorts it, and on its arguments.
class QueueSortCheck {
 public:
  std::string Check(const ProfileConfig& profile, const ProfilePlan& plan) {
    const std::string& name = plan.at(framework::ExtensionPoint::QueueSort).front().name;
    const PluginConfig* config = profile.FindConfig(name);
    const std::string args = config == nullptr ? "" : api::ToJson(EncodeArgs(*config));
    if (!seen_) {
      seen_ = true;
      name_ = name;
      args_ = args;
    }
    if (name != name_) {
      return fmt::format("different queue sort plugins for profile \"{}\": \"{}\", first: \"{}\"",
                         profile.scheduler_name, name, name_);
    }
    if (args == args_) return "";
    return fmt::format("different queue sort plugin args for profile \"{}\"", profile.scheduler_name);
  }

 private:
  bool seen_ = false;
  std::string name_;
  std::string args_;
};

}  // namespace

PlanOutcome PlanAll(const SchedulerConfiguration& given, const framework::Registry& registry) {
  PlanOutcome outcome;
  SchedulerConfiguration config = given;
  for (const std::string& problem : PrepareExtenders(config, registry)) {
    outcome.problems.push_back({fmt::format("couldn't build extenders: {}", problem), "", 0});
  }
  if (!outcome.problems.empty()) return outcome;
  QueueSortCheck queue_sort;
  for (size_t i = 0; i < config.profiles.size(); ++i) {
    const ProfileConfig& profile = config.profiles[i];
    std::vector<PlanProblem> problems;
    CheckArgsOfBuiltPlugins(profile, config.features, problems);
    ProfilePlan plan = PlanProfile(profile, registry, problems);
    plan.features = config.features;
    if (!plan.percentage_of_nodes_to_score) plan.percentage_of_nodes_to_score = config.percentage_of_nodes_to_score;
    for (PlanProblem& problem : problems) {
      problem.message = fmt::format("initializing profiles: creating profile for scheduler name {}: {}",
                                    profile.scheduler_name, problem.message);
    }
    if (problems.empty()) {
      const std::string problem = queue_sort.Check(profile, plan);
      if (!problem.empty()) problems.push_back({"initializing profiles: " + problem, "", i});
    }
    for (PlanProblem& problem : problems) {
      problem.profile = i;
      outcome.problems.push_back(std::move(problem));
    }
    outcome.plans.push_back(std::move(plan));
  }
  return outcome;
}

Result<std::vector<ProfilePlan>> PlanProfiles(const SchedulerConfiguration& config,
                                              const framework::Registry& registry) {
  PlanOutcome outcome = PlanAll(config, registry);
  if (!outcome.problems.empty()) return InvalidError(outcome.problems.front().message);
  return std::move(outcome.plans);
}

std::vector<Extender> OrderedExtenders(const std::vector<Extender>& extenders) {
  std::vector<Extender> ordered = extenders;
  std::stable_partition(ordered.begin(), ordered.end(), [](const Extender& extender) { return !extender.ignorable; });
  return ordered;
}

}  // namespace berth::config
