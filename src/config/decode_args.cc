// SPDX-License-Identifier: Apache-2.0
#include "config/args/decode_selectors.h"
#include "config/args/in_tree_args.h"
#include "config/decode.h"
#include "config/known_plugins.h"
#include "config/scalars.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::config {
namespace {

using api::FieldReader;

void Decode(FieldReader& reader, DefaultPreemptionArgs& args) {
  args.min_candidate_nodes_percentage =
      reader.Int32("minCandidateNodesPercentage").value_or(args.min_candidate_nodes_percentage);
  args.min_candidate_nodes_absolute =
      reader.Int32("minCandidateNodesAbsolute").value_or(args.min_candidate_nodes_absolute);
}

void Decode(FieldReader& reader, InterPodAffinityArgs& args) {
  args.hard_pod_affinity_weight = reader.Int32("hardPodAffinityWeight").value_or(args.hard_pod_affinity_weight);
  args.ignore_preferred_terms_of_existing_pods = reader.Bool("ignorePreferredTermsOfExistingPods");
}

void Decode(FieldReader& reader, NodeAffinityArgs& args) {
  reader.Map("addedAffinity", [&](FieldReader& map) { args.added_affinity = DecodeNodeAffinity(map); });
}

// An absent list keeps the default one; a weight of zero means one.
void DecodeResources(FieldReader& reader, std::vector<ResourceWeight>& resources) {
  std::vector<ResourceWeight> read;
  reader.ForEach("resources", [&](FieldReader& map) {
    const int64_t weight = map.Int64("weight").value_or(0);
    read.push_back({map.String("name"), weight == 0 ? 1 : weight});
    map.RejectUnknown();
  });
  if (!read.empty()) resources = std::move(read);
}

std::vector<UtilizationShapePoint> DecodeShape(FieldReader& reader) {
  std::vector<UtilizationShapePoint> shape;
  reader.ForEach("shape", [&](FieldReader& map) {
    shape.push_back({map.Int32("utilization").value_or(0), map.Int32("score").value_or(0)});
    map.RejectUnknown();
  });
  return shape;
}

void Decode(FieldReader& reader, NodeResourcesFitArgs& args) {
  args.ignored_resources = reader.Strings("ignoredResources");
  args.ignored_resource_groups = reader.Strings("ignoredResourceGroups");
  reader.Map("scoringStrategy", [&](FieldReader& map) {
    args.scoring_strategy.type = map.String("type");  // a strategy without a type is an error, not the default one
    DecodeResources(map, args.scoring_strategy.resources);
    map.Map("requestedToCapacityRatio", [&](FieldReader& ratio) {
      args.scoring_strategy.shape = DecodeShape(ratio);
      ratio.RejectUnknown();
    });
    map.RejectUnknown();
  });
}

void Decode(FieldReader& reader, NodeResourcesBalancedAllocationArgs& args) { DecodeResources(reader, args.resources); }

void Decode(FieldReader& reader, PodTopologySpreadArgs& args) {
  reader.ForEach("defaultConstraints",
                 [&](FieldReader& map) { args.default_constraints.push_back(DecodeSpreadConstraint(map)); });
  const std::string type = reader.String("defaultingType");
  if (!type.empty()) args.defaulting_type = type;
}

void Decode(FieldReader& reader, VolumeBindingArgs& args) {
  args.bind_timeout_seconds = reader.Int64("bindTimeoutSeconds").value_or(args.bind_timeout_seconds);
  args.shape = DecodeShape(reader);
}

void Decode(FieldReader& reader, DynamicResourcesArgs& args) {
  if (const auto timeout = ReadDuration(reader, "filterTimeout", true)) args.filter_timeout = timeout;
  if (const auto timeout = ReadDuration(reader, "bindingTimeout", true)) args.binding_timeout = timeout;
}

// Arguments may leave out apiVersion and kind; what they do say must be v1's arguments of this very plugin.
bool CheckType(FieldReader& reader, const std::string& plugin) {
  const std::string version = reader.String("apiVersion", kApiVersion);
  const std::string kind = reader.String("kind", plugin + "Args");
  if (!version.empty() && version != kApiVersion) {
    reader.Fail("apiVersion", fmt::format("args for plugin {}: no kind \"{}\" is registered for version \"{}\"", plugin,
                                          kind, version));
    return false;
  }
  if (kind.empty() || kind == plugin + "Args") return true;
  const bool known = kind.ends_with("Args") && HasTypedArgs(std::string_view(kind).substr(0, kind.size() - 4));
  reader.Fail("kind", known ? fmt::format("args for plugin {0} were not of type {0}Args, got {1}", plugin, kind)
                            : fmt::format("args for plugin {}: no kind \"{}\" is registered", plugin, kind));
  return false;
}

template <typename Args>
framework::PluginArgsPtr DecodeAs(const std::string& plugin, const api::Value* value, const std::string& path,
                                  api::DecodeErrors& errors) {
  auto args = std::make_shared<Args>();
  if (value == nullptr) return args;
  if (!value->is_map()) {
    errors.Add(path, value->position(), fmt::format("must be a map, not a {}", api::KindName(value->kind())));
    return args;
  }
  FieldReader reader(*value, path, errors);
  if (!CheckType(reader, plugin)) return args;
  Decode(reader, *args);
  reader.RejectUnknown();
  return args;
}

}  // namespace

framework::PluginArgsPtr DecodeArgs(const std::string& plugin, const api::Value* args, const std::string& path,
                                    api::DecodeErrors& errors) {
  if (plugin == "DefaultPreemption") return DecodeAs<DefaultPreemptionArgs>(plugin, args, path, errors);
  if (plugin == "InterPodAffinity") return DecodeAs<InterPodAffinityArgs>(plugin, args, path, errors);
  if (plugin == "NodeAffinity") return DecodeAs<NodeAffinityArgs>(plugin, args, path, errors);
  if (plugin == "NodeResourcesFit") return DecodeAs<NodeResourcesFitArgs>(plugin, args, path, errors);
  if (plugin == "NodeResourcesBalancedAllocation") {
    return DecodeAs<NodeResourcesBalancedAllocationArgs>(plugin, args, path, errors);
  }
  if (plugin == "PodTopologySpread") return DecodeAs<PodTopologySpreadArgs>(plugin, args, path, errors);
  if (plugin == "VolumeBinding") return DecodeAs<VolumeBindingArgs>(plugin, args, path, errors);
  if (plugin == "DynamicResources") return DecodeAs<DynamicResourcesArgs>(plugin, args, path, errors);
  if (args == nullptr) return nullptr;
  auto raw = std::make_shared<framework::RawArgs>();
  raw->value = *args;
  return raw;
}

}  // namespace berth::config
