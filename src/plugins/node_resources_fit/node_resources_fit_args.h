// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/plugin_args.h"
#include "plugins/node_resources/resource_args.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::plugins {

struct ScoringStrategyArgs {
  std::string type = "LeastAllocated";  // or MostAllocated, RequestedToCapacityRatio
  std::vector<node_resources::ResourceWeight> resources = {{"cpu", 1}, {"memory", 1}};
  std::optional<std::vector<node_resources::UtilizationShapePoint>> shape;  // requestedToCapacityRatio.shape
};

struct NodeResourcesFitArgs final : framework::TypedArgs {
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_resource_groups;
  ScoringStrategyArgs scoring_strategy;

  void Decode(api::FieldReader& reader) override;
  void Encode(api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path, const features::FeatureGates&) const override;
  // Upstream leaves the checks to the plugin, so that a profile without it may hold anything.
  bool validated_when_built() const override { return true; }
};

}  // namespace berth::plugins
