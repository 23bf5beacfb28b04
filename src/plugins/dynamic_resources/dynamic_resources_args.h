// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/plugin_args.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::plugins {

struct DynamicResourcesArgs final : framework::TypedArgs {
  std::optional<Duration> filter_timeout;   // 10s, while DRASchedulerFilterTimeout is on
  std::optional<Duration> binding_timeout;  // 600s, while devices may have binding conditions

  void AddGatedDefaults(const features::FeatureGates& gates) override;
  void Decode(api::FieldReader& reader) override;
  void Encode(api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path, const features::FeatureGates& gates) const override;
};

}  // namespace berth::plugins
