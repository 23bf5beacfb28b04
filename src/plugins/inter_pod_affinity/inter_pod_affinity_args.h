// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/plugin_args.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::plugins {

struct InterPodAffinityArgs final : framework::TypedArgs {
  int32_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;

  void Decode(api::FieldReader& reader) override;
  void Encode(api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path, const features::FeatureGates&) const override;
};

}  // namespace berth::plugins
