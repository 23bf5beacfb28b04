// SPDX-License-Identifier: Apache-2.0
#include "config/validate.h"

#include "api/document.h"
#include "config/encode.h"
#include "config/fields/go_duration.h"
#include "config/fields/qualified_name.h"
#include "config/known_plugins.h"
#include "config/plugin_arguments.h"

#include <map>
#include <set>

#include <fmt/format.h>

namespace berth::config {
namespace {

using framework::ExtensionPoint;

void Append(Messages& all, Messages more) { all.insert(all.end(), more.begin(), more.end()); }

void ValidateLeaderElection(const LeaderElection& election, Messages& messages) {
  if (!election.leader_elect) return;
  const auto positive = [&](std::string_view path, Duration duration) {
    if (duration <= Duration{}) {
      messages.push_back(Invalid(path, FormatGoDuration(duration), "must be greater than zero"));
    }
  };
  positive("leaderElection.leaseDuration", election.lease_duration);
  positive("leaderElection.renewDeadline", election.renew_deadline);
  positive("leaderElection.retryPeriod", election.retry_period);
  if (election.lease_duration <= election.renew_deadline) {
    messages.push_back(Invalid("leaderElection.leaseDuration", FormatGoDuration(election.renew_deadline),
                               "must be greater than `RenewDeadline`"));
  }
  if (election.resource_lock != "leases") {
    messages.push_back(
        Invalid("leaderElection.resourceLock", election.resource_lock, "resourceLock value must be \"leases\""));
  }
}

void ValidatePercentage(const std::string& path, int32_t percentage, Messages& messages) {
  if (percentage < 0 || percentage > 100) messages.push_back(Invalid(path, percentage, "not in valid range [0-100]"));
}

std::string RemovedText() {
  return fmt::format("was invalid in version \"v1\" (KubeSchedulerConfiguration is version \"{}\")", kApiVersion);
}

// multiPoint is not checked, as upstream: there the name is merely unknown.
void ValidateRemovedPlugins(const PluginSets& sets, const std::string& path, Messages& messages) {
  for (const ExtensionPoint point : framework::kExtensionPoints) {
    const std::vector<PluginRef>& enabled = sets.at(point).enabled;
    const std::string list = Child(Child(path, framework::PointKey(point)), "enabled");
    for (size_t i = 0; i < enabled.size(); ++i) {
      if (IsRefusedInV1(enabled[i].name)) {
        messages.push_back(Invalid(Index(list, i), enabled[i].name, RemovedText()));
      }
    }
  }
}

void ValidateProfile(const ProfileConfig& profile, const std::string& path, const features::FeatureGates& gates,
                     Messages& messages) {
  if (profile.scheduler_name.empty()) messages.push_back(Required(Child(path, "schedulerName")));
  if (profile.percentage_of_nodes_to_score) {
    ValidatePercentage(Child(path, "percentageOfNodesToScore"), *profile.percentage_of_nodes_to_score, messages);
  }
  ValidateRemovedPlugins(profile.plugins, Child(path, "plugins"), messages);
  std::set<std::string_view> seen;
  for (size_t i = 0; i < profile.plugin_config.size(); ++i) {
    const PluginConfig& config = profile.plugin_config[i];
    const std::string at = Index(Child(path, "pluginConfig"), i);
    if (!seen.insert(config.name).second) messages.push_back(Duplicate(at, config.name));
    if (IsRefusedInV1(config.name)) {
      messages.push_back(Invalid(at, config.name, RemovedText()));
    } else if (const framework::TypedArgs* args = AsTyped(config); args != nullptr && !args->validated_when_built()) {
      Append(messages, args->Validate(Child(at, "args"), gates));
    }
  }
}

std::string ArgsText(const PluginConfig& config) { return api::ToJson(EncodeArgs(config)); }

// One queue serves all profiles, so they cannot order it differently.
void ValidateCommonQueueSort(const std::vector<ProfileConfig>& profiles, Messages& messages) {
  const PluginSet& first = profiles.front().plugins.at(ExtensionPoint::QueueSort);
  if (first.enabled.size() > 1) {
    messages.push_back(Invalid("profiles[0].plugins.queueSort.Enabled", static_cast<int64_t>(first.enabled.size()),
                               "only one queue sort plugin can be enabled"));
  }
  const std::string name = first.enabled.empty() ? "" : first.enabled.front().name;
  const PluginConfig* args = name.empty() ? nullptr : profiles.front().FindConfig(name);
  for (size_t i = 1; i < profiles.size(); ++i) {
    const std::string path = Index("profiles", i);
    const PluginSet& set = profiles[i].plugins.at(ExtensionPoint::QueueSort);
    if (set != first) {
      messages.push_back(InvalidRaw(Child(path, "plugins.queueSort"), api::ToJson(EncodeSet(set)),
                                    "must be the same for all profiles"));
    }
    if (name.empty()) continue;
    const PluginConfig* other = profiles[i].FindConfig(name);
    if (other != nullptr && (args == nullptr || ArgsText(*args) != ArgsText(*other))) {
      messages.push_back(InvalidRaw(Child(path, "pluginConfig.args"), ArgsText(*other),
                                    "queueSort must be the same for all profiles"));
    }
  }
}

void ValidateResource(const std::string& path, const std::string& name, Messages& messages) {
  const std::vector<std::string> problems = QualifiedNameProblems(name);
  for (const std::string& problem : problems) messages.push_back(Invalid(path, name, problem));
  if (problems.empty() && !IsExtendedResourceName(name)) {
    messages.push_back(Invalid(path, name, "is an invalid extended resource name"));
  }
}

void ValidateExtenders(const std::vector<Extender>& extenders, Messages& messages) {
  int binders = 0;
  std::set<std::string_view> managed;
  for (size_t i = 0; i < extenders.size(); ++i) {
    const Extender& extender = extenders[i];
    const std::string path = Index("extenders", i);
    if (!extender.prioritize_verb.empty() && extender.weight <= 0) {
      messages.push_back(Invalid(Child(path, "weight"), extender.weight, "must have a positive weight applied to it"));
    }
    binders += extender.bind_verb.empty() ? 0 : 1;
    for (size_t j = 0; j < extender.managed_resources.size(); ++j) {
      const std::string& name = extender.managed_resources[j].name;
      const std::string at = Child(Index(Child(path, "managedResources"), j), "name");
      ValidateResource(at, name, messages);
      if (!managed.insert(name).second) {
        messages.push_back(Invalid(at, name, "duplicate extender managed resource name"));
      }
    }
  }
  if (binders > 1) {
    messages.push_back(Invalid("extenders", fmt::format("found {} extenders implementing bind", binders),
                               "only one extender can implement bind"));
  }
}

}  // namespace

Messages Validate(const SchedulerConfiguration& config) {
  Messages messages;
  if (config.client_connection.burst < 0) {
    messages.push_back(Invalid("clientConnection.burst", config.client_connection.burst, "must be non-negative"));
  }
  ValidateLeaderElection(config.leader_election, messages);
  if (config.parallelism <= 0) {
    messages.push_back(Invalid("parallelism", config.parallelism, "should be an integer value greater than zero"));
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < config.profiles.size(); ++i) {
    const std::string path = Index("profiles", i);
    ValidateProfile(config.profiles[i], path, config.features, messages);
    if (!names.insert(config.profiles[i].scheduler_name).second) {
      messages.push_back(Duplicate(Child(path, "schedulerName"), config.profiles[i].scheduler_name));
    }
  }
  if (config.profiles.empty()) {
    messages.push_back(Required("profiles"));
  } else {
    ValidateCommonQueueSort(config.profiles, messages);
  }
  ValidatePercentage("percentageOfNodesToScore", config.percentage_of_nodes_to_score, messages);
  if (config.pod_initial_backoff_seconds <= 0) {
    messages.push_back(
        Invalid("podInitialBackoffSeconds", config.pod_initial_backoff_seconds, "must be greater than 0"));
  }
  if (config.pod_max_backoff_seconds < config.pod_initial_backoff_seconds) {
    messages.push_back(Invalid("podMaxBackoffSeconds", config.pod_max_backoff_seconds,
                               "must be greater than or equal to PodInitialBackoffSeconds"));
  }
  ValidateExtenders(config.extenders, messages);
  return messages;
}

}  // namespace berth::config
