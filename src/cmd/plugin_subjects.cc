// SPDX-License-Identifier: Apache-2.0
#include "cmd/plugin_subjects.h"

#include "cmd/scheduler_setup.h"
#include "config/suggest.h"
#include "framework/extension_point.h"
#include "plugins/registry.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

using framework::ExtensionPoint;
using plugin_check::CheckCluster;

// What plugins can be asked at without a scheduler.
constexpr std::array kAskedAt = {ExtensionPoint::PreFilter, ExtensionPoint::Filter, ExtensionPoint::PreScore,
                                 ExtensionPoint::Score};

// In the order in which a pod meets them.
std::vector<std::string> AskablePlugins(const config::ProfilePlan& plan) {
  std::vector<std::string> names;
  for (const ExtensionPoint point : kAskedAt) {
    for (const config::PlannedPlugin& plugin : plan.at(point)) {
      if (std::ranges::find(names, plugin.name) == names.end()) names.push_back(plugin.name);
    }
  }
  return names;
}

// All plugins that can be asked, once per profile.
std::vector<PluginSubject> Askable(const std::vector<config::ProfilePlan>& plans) {
  std::vector<PluginSubject> subjects;
  for (const config::ProfilePlan& plan : plans) {
    for (const std::string& name : AskablePlugins(plan)) {
      subjects.push_back({name, plugin_check::OnlyPlugin(plan, name)});
    }
  }
  return subjects;
}

// Those that were named; else those that do not come with Berth; else all.
Result<std::vector<PluginSubject>> Chosen(std::vector<PluginSubject> all, const std::vector<std::string>& named) {
  std::vector<std::string> names;
  for (const PluginSubject& subject : all) names.push_back(subject.name);
  for (const std::string& name : named) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string near = config::Nearest(name, names);
    return NotFoundError(
        fmt::format("the configuration enables no plugin \"{}\" at PreFilter, Filter, PreScore or Score{}", name,
                    near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  }
  const framework::Registry in_tree = plugins::InTreeRegistry();
  const auto is_chosen = [&](const PluginSubject& subject) {
    return named.empty() ? in_tree.Find(subject.name) == nullptr
                         : std::ranges::find(named, subject.name) != named.end();
  };
  if (named.empty() && std::ranges::none_of(all, is_chosen)) return all;
  std::erase_if(all, [&](const PluginSubject& subject) { return !is_chosen(subject); });
  return all;
}

void AddAll(const std::vector<api::Manifest>& manifests, CheckCluster& cluster) {
  for (const api::Manifest& manifest : manifests) cluster.Add(manifest.object);
}

}  // namespace

std::optional<PluginSubjects> LoadPluginSubjects(const PluginTestOptions& options, const framework::Registry& registry,
                                                 const Clock& clock, std::ostream& err) {
  PluginSubjects subjects;
  subjects.cluster = std::make_unique<CheckCluster>(clock, options.cluster.log);
  std::vector<config::ProfilePlan> plans;
  if (options.cluster.is_described()) {
    std::optional<LoadedCluster> loaded = LoadCluster(options.cluster, registry, err);
    if (!loaded) return std::nullopt;
    plans = std::move(loaded->planned.plans);
    for (const auto* manifests :
         {&loaded->objects.others, &loaded->objects.nodes, &loaded->objects.running, &loaded->objects.pending}) {
      AddAll(*manifests, *subjects.cluster);
    }
  } else {
    Result<config::PlannedConfiguration> planned =
        LoadPlanned(options.cluster.config, registry, options.cluster.gates, err);
    if (!planned) {
      err << "berth: " << planned.error().message << '\n';
      return std::nullopt;
    }
    plans = std::move(planned->plans);
    for (const api::Object& object : plugin_check::RandomObjects(options.random)) subjects.cluster->Add(object);
  }
  Result<std::vector<PluginSubject>> chosen = Chosen(Askable(plans), options.plugins);
  if (!chosen) {
    err << "berth: " << chosen.error().message << '\n';
    return std::nullopt;
  }
  subjects.plugins = *std::move(chosen);
  return subjects;
}

}  // namespace berth::cmd
