// SPDX-License-Identifier: Apache-2.0
#include "config/encode.h"

#include "config/fields/base64.h"
#include "config/fields/go_duration.h"
#include "config/known_plugins.h"
#include "config/plugin_arguments.h"

#include <cmath>

#include <fmt/format.h>

namespace berth::config {
namespace {

using api::Value;

Value Text(std::string_view text) { return Value::String(std::string(text)); }

void SetText(Value& map, std::string_view key, std::string_view text) {
  if (!text.empty()) map.Set(key, Text(text));
}

void SetTrue(Value& map, std::string_view key, bool flag) {
  if (flag) map.Set(key, Value::Bool(true));
}

Value Number(double number) {
  const bool whole = std::trunc(number) == number && std::abs(number) < 1e15;
  return whole ? Value::Int(static_cast<int64_t>(number))
               : Value::Number(Value::Kind::Float, fmt::format("{}", number));
}

Value EncodePlugins(const std::vector<PluginRef>& plugins) {
  Value list = Value::List();
  for (const PluginRef& plugin : plugins) {
    Value entry = Value::Map();
    entry.Set("name", Text(plugin.name));
    if (plugin.weight != 0) entry.Set("weight", Value::Int(plugin.weight));
    list.Append(std::move(entry));
  }
  return list;
}

Value EncodeSets(const PluginSets& sets) {
  Value map = Value::Map();
  const auto add = [&](std::string_view key, const PluginSet& set) {
    if (!set.empty()) map.Set(key, EncodeSet(set));
  };
  add("multiPoint", sets.multi_point);
  for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
    add(framework::PointKey(point), sets.at(point));
  }
  add("placementGenerate", sets.placement_generate);
  add("placementScore", sets.placement_score);
  return map;
}

Value EncodeProfile(const ProfileConfig& profile) {
  Value map = Value::Map();
  map.Set("schedulerName", Text(profile.scheduler_name));
  if (profile.percentage_of_nodes_to_score) {
    map.Set("percentageOfNodesToScore", Value::Int(*profile.percentage_of_nodes_to_score));
  }
  map.Set("plugins", EncodeSets(profile.plugins));
  Value configs = Value::List();
  for (const PluginConfig& config : profile.plugin_config) {
    Value entry = Value::Map();
    entry.Set("name", Text(config.name));
    if (config.args != nullptr) entry.Set("args", EncodeArgs(config));
    configs.Append(std::move(entry));
  }
  if (!configs.items().empty()) map.Set("pluginConfig", std::move(configs));
  return map;
}

Value EncodeTls(const ExtenderTls& tls) {
  Value map = Value::Map();
  SetTrue(map, "insecure", tls.insecure);
  SetText(map, "serverName", tls.server_name);
  SetText(map, "certFile", tls.cert_file);
  SetText(map, "keyFile", tls.key_file);
  SetText(map, "caFile", tls.ca_file);
  SetText(map, "certData", EncodeBase64(tls.cert_data));
  SetText(map, "keyData", EncodeBase64(tls.key_data));
  SetText(map, "caData", EncodeBase64(tls.ca_data));
  return map;
}

Value EncodeExtender(const Extender& extender) {
  Value map = Value::Map();
  map.Set("urlPrefix", Text(extender.url_prefix));
  SetText(map, "filterVerb", extender.filter_verb);
  SetText(map, "preemptVerb", extender.preempt_verb);
  SetText(map, "prioritizeVerb", extender.prioritize_verb);
  if (extender.weight != 0) map.Set("weight", Value::Int(extender.weight));
  SetText(map, "bindVerb", extender.bind_verb);
  SetTrue(map, "enableHTTPS", extender.enable_https);
  if (extender.tls) map.Set("tlsConfig", EncodeTls(*extender.tls));
  map.Set("httpTimeout", Text(FormatGoDuration(extender.EffectiveTimeout())));
  SetTrue(map, "nodeCacheCapable", extender.node_cache_capable);
  for (const ExtenderResource& resource : extender.managed_resources) {
    Value entry = Value::Map();
    entry.Set("name", Text(resource.name));
    SetTrue(entry, "ignoredByScheduler", resource.ignored_by_scheduler);
    if (map.Find("managedResources") == nullptr) map.Set("managedResources", Value::List());
    map.mutable_members().back().value.Append(std::move(entry));
  }
  SetTrue(map, "ignorable", extender.ignorable);
  return map;
}

Value EncodeLeaderElection(const LeaderElection& election) {
  Value map = Value::Map();
  map.Set("leaderElect", Value::Bool(election.leader_elect));
  map.Set("leaseDuration", Text(FormatGoDuration(election.lease_duration)));
  map.Set("renewDeadline", Text(FormatGoDuration(election.renew_deadline)));
  map.Set("retryPeriod", Text(FormatGoDuration(election.retry_period)));
  map.Set("resourceLock", Text(election.resource_lock));
  map.Set("resourceName", Text(election.resource_name));
  map.Set("resourceNamespace", Text(election.resource_namespace));
  return map;
}

Value EncodeClientConnection(const ClientConnection& client) {
  Value map = Value::Map();
  map.Set("kubeconfig", Text(client.kubeconfig));
  map.Set("acceptContentTypes", Text(client.accept_content_types));
  map.Set("contentType", Text(client.content_type));
  map.Set("qps", Number(client.qps));
  map.Set("burst", Value::Int(client.burst));
  return map;
}

}  // namespace

Value EncodeSet(const PluginSet& set) {
  Value map = Value::Map();
  if (!set.enabled.empty()) map.Set("enabled", EncodePlugins(set.enabled));
  if (!set.disabled.empty()) map.Set("disabled", EncodePlugins(set.disabled));
  return map;
}

Value EncodeConfiguration(const SchedulerConfiguration& config) {
  Value root = Value::Map();
  root.Set("apiVersion", Text(kApiVersion));
  root.Set("kind", Text(kKind));
  root.Set("parallelism", Value::Int(config.parallelism));
  root.Set("leaderElection", EncodeLeaderElection(config.leader_election));
  root.Set("clientConnection", EncodeClientConnection(config.client_connection));
  root.Set("enableProfiling", Value::Bool(config.enable_profiling));
  if (config.enable_contention_profiling) {
    root.Set("enableContentionProfiling", Value::Bool(*config.enable_contention_profiling));
  }
  root.Set("percentageOfNodesToScore", Value::Int(config.percentage_of_nodes_to_score));
  root.Set("podInitialBackoffSeconds", Value::Int(config.pod_initial_backoff_seconds));
  root.Set("podMaxBackoffSeconds", Value::Int(config.pod_max_backoff_seconds));
  root.Set("delayCacheUntilActive", Value::Bool(config.delay_cache_until_active));
  Value profiles = Value::List();
  for (const ProfileConfig& profile : config.profiles) profiles.Append(EncodeProfile(profile));
  root.Set("profiles", std::move(profiles));
  if (config.extenders.empty()) return root;
  Value extenders = Value::List();
  for (const Extender& extender : config.extenders) extenders.Append(EncodeExtender(extender));
  root.Set("extenders", std::move(extenders));
  return root;
}

}  // namespace berth::config
