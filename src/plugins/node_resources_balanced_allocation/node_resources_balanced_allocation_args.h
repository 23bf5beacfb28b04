// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/plugin_args.h"
#include "plugins/node_resources/resource_args.h"

#include <string>
#include <vector>

namespace berth::plugins {

struct NodeResourcesBalancedAllocationArgs final : framework::TypedArgs {
  std::vector<node_resources::ResourceWeight> resources = {{"cpu", 1}, {"memory", 1}};

  void Decode(api::FieldReader& reader) override;
  void Encode(api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path, const features::FeatureGates&) const override;
};

}  // namespace berth::plugins
