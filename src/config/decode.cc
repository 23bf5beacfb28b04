// SPDX-License-Identifier: Apache-2.0
#include "config/decode.h"

#include "config/decode_extender.h"
#include "config/fields/scalars.h"
#include "config/known_plugins.h"
#include "config/plugin_arguments.h"

namespace berth::config {
namespace {

using api::FieldReader;
using framework::Registry;

void ReadDurationInto(FieldReader& reader, std::string_view key, Duration& duration) {
  if (const auto read = ReadDuration(reader, key)) duration = *read;
}

PluginRef DecodePlugin(FieldReader& reader) {
  PluginRef plugin{reader.String("name"), reader.Int32("weight").value_or(0)};
  reader.RejectUnknown();
  return plugin;
}

void DecodeSet(FieldReader& plugins, std::string_view key, PluginSet& set) {
  plugins.Map(key, [&](FieldReader& reader) {
    reader.ForEach("enabled", [&](FieldReader& plugin) { set.enabled.push_back(DecodePlugin(plugin)); });
    reader.ForEach("disabled", [&](FieldReader& plugin) { set.disabled.push_back(DecodePlugin(plugin)); });
    reader.RejectUnknown();
  });
}

void DecodeSets(FieldReader& reader, PluginSets& sets) {
  for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
    DecodeSet(reader, framework::PointKey(point), sets.at(point));
  }
  DecodeSet(reader, "multiPoint", sets.multi_point);
  DecodeSet(reader, "placementGenerate", sets.placement_generate);
  DecodeSet(reader, "placementScore", sets.placement_score);
  reader.RejectUnknown();
}

PluginConfig DecodePluginConfig(FieldReader& reader, const Registry& registry, const features::FeatureGates& gates) {
  PluginConfig config;
  config.name = reader.String("name");
  config.args = DecodeArgs(config.name, reader.Raw("args"), reader.Path("args"), registry, gates, reader.errors());
  reader.RejectUnknown();
  return config;
}

ProfileConfig DecodeProfile(FieldReader& reader, bool is_only_one, const Registry& registry,
                            const features::FeatureGates& gates) {
  ProfileConfig profile;
  profile.scheduler_name =
      reader.OptionalString("schedulerName").value_or(is_only_one ? std::string(kDefaultSchedulerName) : "");
  profile.percentage_of_nodes_to_score = reader.Int32("percentageOfNodesToScore");
  reader.Map("plugins", [&](FieldReader& plugins) { DecodeSets(plugins, profile.plugins); });
  reader.ForEach("pluginConfig", [&](FieldReader& config) {
    profile.plugin_config.push_back(DecodePluginConfig(config, registry, gates));
  });
  reader.RejectUnknown();
  return profile;
}

void DecodeLeaderElection(FieldReader& reader, LeaderElection& election) {
  election.leader_elect = reader.Bool("leaderElect", true);
  ReadDurationInto(reader, "leaseDuration", election.lease_duration);
  ReadDurationInto(reader, "renewDeadline", election.renew_deadline);
  ReadDurationInto(reader, "retryPeriod", election.retry_period);
  election.resource_lock = reader.String("resourceLock");
  election.resource_name = reader.String("resourceName");
  election.resource_namespace = reader.String("resourceNamespace");
  reader.RejectUnknown();
}

void DecodeClientConnection(FieldReader& reader, ClientConnection& client) {
  client.kubeconfig = reader.String("kubeconfig");
  client.accept_content_types = reader.String("acceptContentTypes");
  client.content_type = reader.String("contentType");
  client.qps = ReadNumber(reader, "qps").value_or(0);
  client.burst = reader.Int32("burst").value_or(0);
  reader.RejectUnknown();
}

void DecodeProfiles(FieldReader& reader, const Registry& registry, SchedulerConfiguration& config) {
  const api::Value* list = reader.Raw("profiles");
  const bool is_only_one = list != nullptr && list->items().size() == 1;
  reader.ForEach("profiles", [&](FieldReader& profile) {
    config.profiles.push_back(DecodeProfile(profile, is_only_one, registry, config.features));
  });
}

}  // namespace

SchedulerConfiguration DecodeConfiguration(const api::Value& root, const Registry& registry,
                                           const features::FeatureGates& gates, api::DecodeErrors& errors) {
  SchedulerConfiguration config;
  config.features = gates;
  FieldReader reader(root, "", errors);
  reader.Raw("apiVersion");
  reader.Raw("kind");
  config.parallelism = reader.Int32("parallelism").value_or(config.parallelism);
  reader.Map("leaderElection", [&](FieldReader& map) { DecodeLeaderElection(map, config.leader_election); });
  reader.Map("clientConnection", [&](FieldReader& map) { DecodeClientConnection(map, config.client_connection); });
  config.enable_profiling = reader.Bool("enableProfiling", true);
  config.enable_contention_profiling = reader.OptionalBool("enableContentionProfiling");
  config.percentage_of_nodes_to_score = reader.Int32("percentageOfNodesToScore").value_or(0);
  config.pod_initial_backoff_seconds =
      reader.Int64("podInitialBackoffSeconds").value_or(config.pod_initial_backoff_seconds);
  config.pod_max_backoff_seconds = reader.Int64("podMaxBackoffSeconds").value_or(config.pod_max_backoff_seconds);
  DecodeProfiles(reader, registry, config);
  reader.ForEach("extenders", [&](FieldReader& map) { config.extenders.push_back(DecodeExtender(map)); });
  config.delay_cache_until_active = reader.Bool("delayCacheUntilActive");
  reader.RejectUnknown();
  return config;
}

}  // namespace berth::config
