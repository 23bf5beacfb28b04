// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/clock.h"
#include "features/feature_gates.h"
#include "framework/extension_point.h"
#include "framework/plugin_args.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// KubeSchedulerConfiguration, kubescheduler.config.k8s.io/v1. Member initialisers are upstream's defaults for fields
// where upstream distinguishes absent from zero; defaults.h fills in the others.
namespace berth::config {

struct PluginRef {
  std::string name;
  int32_t weight = 0;  // 0: not set
  friend bool operator==(const PluginRef&, const PluginRef&) = default;
};

struct PluginSet {
  std::vector<PluginRef> enabled;
  std::vector<PluginRef> disabled;
  bool empty() const { return enabled.empty() && disabled.empty(); }
  friend bool operator==(const PluginSet&, const PluginSet&) = default;
};

// The plugins of a profile: one set per extension point, one for all points at once, and the two points of pod-group
// placement, which are decoded and validated but run nothing yet.
struct PluginSets {
  std::array<PluginSet, framework::kExtensionPoints.size()> points;
  PluginSet multi_point;
  PluginSet placement_generate;
  PluginSet placement_score;

  const PluginSet& at(framework::ExtensionPoint point) const { return points[static_cast<size_t>(point)]; }
  PluginSet& at(framework::ExtensionPoint point) { return points[static_cast<size_t>(point)]; }
};

struct PluginConfig {
  std::string name;
  framework::PluginArgsPtr args;  // null when none were given to a plugin without a type for them
};

struct ProfileConfig {
  std::string scheduler_name;
  std::optional<int32_t> percentage_of_nodes_to_score;
  PluginSets plugins;
  std::vector<PluginConfig> plugin_config;

  const PluginConfig* FindConfig(std::string_view name) const;  // the first of that name, or null
};

struct ExtenderTls {
  bool insecure = false;
  std::string server_name;
  std::string cert_file;
  std::string key_file;
  std::string ca_file;
  std::string cert_data;  // decoded bytes
  std::string key_data;
  std::string ca_data;
};

struct ExtenderResource {
  std::string name;
  bool ignored_by_scheduler = false;
};

struct Extender {
  std::string url_prefix;
  std::string filter_verb;
  std::string preempt_verb;
  std::string prioritize_verb;
  std::string bind_verb;
  int64_t weight = 0;
  bool enable_https = false;
  std::optional<ExtenderTls> tls;
  Duration http_timeout{};  // 0: the default of 5 seconds, see EffectiveTimeout
  bool node_cache_capable = false;
  std::vector<ExtenderResource> managed_resources;
  bool ignorable = false;

  Duration EffectiveTimeout() const { return http_timeout == Duration{} ? std::chrono::seconds(5) : http_timeout; }
};

struct LeaderElection {
  bool leader_elect = true;
  Duration lease_duration{};
  Duration renew_deadline{};
  Duration retry_period{};
  std::string resource_lock;
  std::string resource_name;
  std::string resource_namespace;
};

struct ClientConnection {
  std::string kubeconfig;
  std::string accept_content_types;
  std::string content_type;
  double qps = 0;
  int32_t burst = 0;
};

struct SchedulerConfiguration {
  int32_t parallelism = 16;
  LeaderElection leader_election;
  ClientConnection client_connection;
  bool enable_profiling = true;
  std::optional<bool> enable_contention_profiling;  // absent: off
  int32_t percentage_of_nodes_to_score = 0;         // 0: adaptive
  int64_t pod_initial_backoff_seconds = 1;
  int64_t pod_max_backoff_seconds = 10;
  std::vector<ProfileConfig> profiles;
  std::vector<Extender> extenders;
  bool delay_cache_until_active = false;
  // Not part of the file, but defaults, validation and plans depend on them.
  features::FeatureGates features;
};

}  // namespace berth::config
