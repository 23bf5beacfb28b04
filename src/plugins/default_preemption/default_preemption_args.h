// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/plugin_args.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::plugins {

struct DefaultPreemptionArgs final : framework::TypedArgs {
  int32_t min_candidate_nodes_percentage = 10;
  int32_t min_candidate_nodes_absolute = 100;

  void Decode(api::FieldReader& reader) override;
  void Encode(api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path, const features::FeatureGates&) const override;
};

}  // namespace berth::plugins
