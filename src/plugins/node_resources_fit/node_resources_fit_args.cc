// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources_fit/node_resources_fit_args.h"

#include "config/fields/field_errors.h"
#include "config/fields/qualified_name.h"

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using api::FieldReader;
using api::Value;
using config::Child;
using config::Index;
using config::Invalid;
using config::Messages;
using node_resources::ResourceWeight;

Value StringList(const std::vector<std::string>& texts) {
  Value list = Value::List();
  for (const std::string& text : texts) list.Append(Value::String(text));
  return list;
}

void CheckName(const std::string& path, const std::string& name, Messages& messages) {
  for (const std::string& problem : config::QualifiedNameProblems(name)) {
    messages.push_back(Invalid(path, name, problem));
  }
}

void CheckStrategy(const ScoringStrategyArgs& strategy, const std::string& path, Messages& messages) {
  const bool is_ratio = strategy.type == "RequestedToCapacityRatio";
  if (!is_ratio && strategy.type != "LeastAllocated" && strategy.type != "MostAllocated") {
    messages.push_back(config::Unsupported(Child(path, "type"), strategy.type,
                                           {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"}));
  }
  for (size_t i = 0; i < strategy.resources.size(); ++i) {
    const ResourceWeight& resource = strategy.resources[i];
    if (resource.weight > 0 && resource.weight <= 100) continue;
    messages.push_back(Invalid(Child(Index(Child(path, "resources"), i), "weight"), resource.weight,
                               fmt::format("resource weight of {} not in valid range (0, 100]", resource.name)));
  }
  const std::string ratio = Child(path, "requestedToCapacityRatio");
  if (!is_ratio) {
    if (strategy.shape) {
      messages.push_back(config::Forbidden(ratio, "must be nil when type is not RequestedToCapacityRatio"));
    }
  } else if (!strategy.shape) {
    messages.push_back(config::Required(ratio, "must be specified when type is RequestedToCapacityRatio"));
  } else {
    node_resources::CheckShape(*strategy.shape, Child(ratio, "shape"), messages);
  }
}

}  // namespace

void NodeResourcesFitArgs::Decode(FieldReader& reader) {
  ignored_resources = reader.Strings("ignoredResources");
  ignored_resource_groups = reader.Strings("ignoredResourceGroups");
  reader.Map("scoringStrategy", [&](FieldReader& map) {
    scoring_strategy.type = map.String("type");  // a strategy without a type is an error, not the default one
    node_resources::DecodeResources(map, scoring_strategy.resources);
    map.Map("requestedToCapacityRatio", [&](FieldReader& ratio) {
      scoring_strategy.shape = node_resources::DecodeShape(ratio);
      ratio.RejectUnknown();
    });
    map.RejectUnknown();
  });
}

void NodeResourcesFitArgs::Encode(Value& map) const {
  if (!ignored_resources.empty()) map.Set("ignoredResources", StringList(ignored_resources));
  if (!ignored_resource_groups.empty()) map.Set("ignoredResourceGroups", StringList(ignored_resource_groups));
  Value strategy = Value::Map();
  strategy.Set("type", Value::String(scoring_strategy.type));
  strategy.Set("resources", node_resources::EncodeResources(scoring_strategy.resources));
  if (scoring_strategy.shape) {
    Value ratio = Value::Map();
    ratio.Set("shape", node_resources::EncodeShape(*scoring_strategy.shape));
    strategy.Set("requestedToCapacityRatio", std::move(ratio));
  }
  map.Set("scoringStrategy", std::move(strategy));
}

std::vector<std::string> NodeResourcesFitArgs::Validate(const std::string& path, const features::FeatureGates&) const {
  Messages messages;
  for (size_t i = 0; i < ignored_resources.size(); ++i) {
    CheckName(Index(Child(path, "ignoredResources"), i), ignored_resources[i], messages);
  }
  for (size_t i = 0; i < ignored_resource_groups.size(); ++i) {
    const std::string& group = ignored_resource_groups[i];
    const std::string at = Index(Child(path, "ignoredResourceGroups"), i);
    if (group.find('/') != std::string::npos) {
      messages.push_back(Invalid(at, group, "resource group name can't contain '/'"));
    }
    CheckName(at, group, messages);
  }
  CheckStrategy(scoring_strategy, Child(path, "scoringStrategy"), messages);
  return messages;
}

}  // namespace berth::plugins
