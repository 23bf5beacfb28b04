// SPDX-License-Identifier: Apache-2.0
#include "config/defaults.h"

#include "config/known_plugins.h"

#include <algorithm>
#include <set>

namespace berth::config {
namespace {

bool Names(const std::vector<PluginRef>& plugins, std::string_view name) {
  return std::ranges::any_of(plugins, [&](const PluginRef& plugin) { return plugin.name == name; });
}

// A default plugin keeps its place unless disabled; a custom entry of the same name, the last if there are several,
// replaces it there. All other custom entries follow, including duplicates, which planning rejects.
std::vector<PluginRef> MergeEnabled(const std::vector<PluginRef>& defaults, const PluginSet& custom) {
  std::vector<PluginRef> merged;
  std::set<size_t> placed;
  if (!Names(custom.disabled, "*")) {
    for (const PluginRef& plugin : defaults) {
      if (Names(custom.disabled, plugin.name)) continue;
      merged.push_back(plugin);
      for (size_t i = custom.enabled.size(); i-- > 0;) {
        if (custom.enabled[i].name != plugin.name) continue;
        merged.back() = custom.enabled[i];
        placed.insert(i);
        break;
      }
    }
  }
  for (size_t i = 0; i < custom.enabled.size(); ++i) {
    if (!placed.contains(i)) merged.push_back(custom.enabled[i]);
  }
  return merged;
}

void MergeDefaultPlugins(PluginSets& sets, const features::FeatureGates& gates) {
  sets.multi_point.enabled = MergeEnabled(DefaultMultiPoint(gates), sets.multi_point);
  const auto forget_weights = [](PluginSet& set) {
    for (PluginRef& plugin : set.disabled) plugin.weight = 0;
  };
  for (PluginSet& set : sets.points) forget_weights(set);
  for (PluginSet* set : {&sets.multi_point, &sets.placement_generate, &sets.placement_score}) forget_weights(*set);
}

std::set<std::string> EnabledAnywhere(const PluginSets& sets) {
  std::set<std::string> names;
  const auto add = [&](const PluginSet& set) {
    for (const PluginRef& plugin : set.enabled) names.insert(plugin.name);
  };
  for (const PluginSet& set : sets.points) add(set);
  for (const PluginSet* set : {&sets.multi_point, &sets.placement_generate, &sets.placement_score}) add(*set);
  return names;
}

void AddMissingArgs(ProfileConfig& profile, const framework::Registry& registry, const features::FeatureGates& gates) {
  for (const std::string& name : EnabledAnywhere(profile.plugins)) {
    const framework::PluginEntry* entry = registry.Find(name);
    if (entry == nullptr || !entry->new_args || profile.FindConfig(name) != nullptr) continue;
    profile.plugin_config.push_back({name, entry->new_args(gates)});
  }
}

template <typename T>
void SetIfZero(T& field, T value) {
  if (field == T{}) field = std::move(value);
}

}  // namespace

const PluginConfig* ProfileConfig::FindConfig(std::string_view name) const {
  const auto found = std::ranges::find(plugin_config, name, &PluginConfig::name);
  return found == plugin_config.end() ? nullptr : &*found;
}

void ApplyDefaults(SchedulerConfiguration& config, const framework::Registry& registry) {
  if (config.profiles.empty()) config.profiles.emplace_back().scheduler_name = kDefaultSchedulerName;
  for (ProfileConfig& profile : config.profiles) {
    MergeDefaultPlugins(profile.plugins, config.features);
    AddMissingArgs(profile, registry, config.features);
  }
  LeaderElection& election = config.leader_election;
  SetIfZero<std::string>(election.resource_lock, "leases");
  SetIfZero<std::string>(election.resource_name, "kube-scheduler");
  SetIfZero<std::string>(election.resource_namespace, "kube-system");
  SetIfZero<Duration>(election.lease_duration, std::chrono::seconds(15));
  SetIfZero<Duration>(election.renew_deadline, std::chrono::seconds(10));
  SetIfZero<Duration>(election.retry_period, std::chrono::seconds(2));
  SetIfZero<std::string>(config.client_connection.content_type, "application/vnd.kubernetes.protobuf");
  SetIfZero<double>(config.client_connection.qps, 50);
  SetIfZero<int32_t>(config.client_connection.burst, 100);
  if (config.enable_profiling && !config.enable_contention_profiling) config.enable_contention_profiling = true;
}

SchedulerConfiguration DefaultConfiguration(const framework::Registry& registry, const features::FeatureGates& gates) {
  SchedulerConfiguration config;
  config.features = gates;
  ApplyDefaults(config, registry);
  return config;
}

}  // namespace berth::config
