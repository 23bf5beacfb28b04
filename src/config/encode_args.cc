// SPDX-License-Identifier: Apache-2.0
#include "config/args/in_tree_args.h"
#include "config/encode.h"
#include "config/go_duration.h"
#include "config/known_plugins.h"

namespace berth::config {
namespace {

using api::Value;

Value Text(std::string_view text) { return Value::String(std::string(text)); }

Value Texts(const std::vector<std::string>& texts) {
  Value list = Value::List();
  for (const std::string& text : texts) list.Append(Text(text));
  return list;
}

Value EncodeResources(const std::vector<ResourceWeight>& resources) {
  Value list = Value::List();
  for (const ResourceWeight& resource : resources) {
    Value entry = Value::Map();
    entry.Set("name", Text(resource.name));
    entry.Set("weight", Value::Int(resource.weight));
    list.Append(std::move(entry));
  }
  return list;
}

Value EncodeShape(const std::vector<UtilizationShapePoint>& shape) {
  Value list = Value::List();
  for (const UtilizationShapePoint& point : shape) {
    Value entry = Value::Map();
    entry.Set("utilization", Value::Int(point.utilization));
    entry.Set("score", Value::Int(point.score));
    list.Append(std::move(entry));
  }
  return list;
}

void Encode(const DefaultPreemptionArgs& args, Value& map) {
  map.Set("minCandidateNodesPercentage", Value::Int(args.min_candidate_nodes_percentage));
  map.Set("minCandidateNodesAbsolute", Value::Int(args.min_candidate_nodes_absolute));
}

void Encode(const InterPodAffinityArgs& args, Value& map) {
  map.Set("hardPodAffinityWeight", Value::Int(args.hard_pod_affinity_weight));
  map.Set("ignorePreferredTermsOfExistingPods", Value::Bool(args.ignore_preferred_terms_of_existing_pods));
}

void Encode(const NodeResourcesFitArgs& args, Value& map) {
  if (!args.ignored_resources.empty()) map.Set("ignoredResources", Texts(args.ignored_resources));
  if (!args.ignored_resource_groups.empty()) map.Set("ignoredResourceGroups", Texts(args.ignored_resource_groups));
  Value strategy = Value::Map();
  strategy.Set("type", Text(args.scoring_strategy.type));
  strategy.Set("resources", EncodeResources(args.scoring_strategy.resources));
  if (args.scoring_strategy.shape) {
    Value ratio = Value::Map();
    ratio.Set("shape", EncodeShape(*args.scoring_strategy.shape));
    strategy.Set("requestedToCapacityRatio", std::move(ratio));
  }
  map.Set("scoringStrategy", std::move(strategy));
}

void Encode(const VolumeBindingArgs& args, Value& map) {
  map.Set("bindTimeoutSeconds", Value::Int(args.bind_timeout_seconds));
  if (!args.shape.empty()) map.Set("shape", EncodeShape(args.shape));
}

void Encode(const DynamicResourcesArgs& args, Value& map) {
  if (args.filter_timeout) map.Set("filterTimeout", Text(FormatGoDuration(*args.filter_timeout)));
  if (args.binding_timeout) map.Set("bindingTimeout", Text(FormatGoDuration(*args.binding_timeout)));
}

// Selectors have no defaults, so that what was written is what they are.
void CopyIfGiven(const PluginConfig& config, std::string_view key, Value& map) {
  const Value* value = config.source.Find(key);
  if (value != nullptr && !value->is_null()) map.Set(key, *value);
}

}  // namespace

Value EncodeArgs(const PluginConfig& config) {
  const framework::PluginArgs* args = config.args.get();
  if (const auto* raw = dynamic_cast<const framework::RawArgs*>(args)) return raw->value;
  if (args == nullptr) return Value::Null();
  Value map = Value::Map();
  map.Set("apiVersion", Text(kApiVersion));
  map.Set("kind", Text(config.name + "Args"));
  if (const auto* preemption = dynamic_cast<const DefaultPreemptionArgs*>(args)) {
    Encode(*preemption, map);
  } else if (const auto* pods = dynamic_cast<const InterPodAffinityArgs*>(args)) {
    Encode(*pods, map);
  } else if (const auto* fit = dynamic_cast<const NodeResourcesFitArgs*>(args)) {
    Encode(*fit, map);
  } else if (const auto* balanced = dynamic_cast<const NodeResourcesBalancedAllocationArgs*>(args)) {
    map.Set("resources", EncodeResources(balanced->resources));
  } else if (const auto* volumes = dynamic_cast<const VolumeBindingArgs*>(args)) {
    Encode(*volumes, map);
  } else if (const auto* claims = dynamic_cast<const DynamicResourcesArgs*>(args)) {
    Encode(*claims, map);
  } else if (const auto* spread = dynamic_cast<const PodTopologySpreadArgs*>(args)) {
    CopyIfGiven(config, "defaultConstraints", map);
    map.Set("defaultingType", Text(spread->defaulting_type));
  } else {
    CopyIfGiven(config, "addedAffinity", map);
  }
  return map;
}

}  // namespace berth::config
