// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/plugin_args.h"
#include "plugins/node_resources/resource_args.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::plugins {

// Emptier storage is better.
std::vector<node_resources::UtilizationShapePoint> DefaultStorageShape();

struct VolumeBindingArgs final : framework::TypedArgs {
  int64_t bind_timeout_seconds = 600;
  std::optional<std::vector<node_resources::UtilizationShapePoint>> shape;  // none while StorageCapacityScoring is off

  void AddGatedDefaults(const features::FeatureGates& gates) override;
  void Decode(api::FieldReader& reader) override;
  void Encode(api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path, const features::FeatureGates& gates) const override;
};

}  // namespace berth::plugins
