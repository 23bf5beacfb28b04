// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/affinity.h"
#include "framework/plugin_args.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::plugins {

struct NodeAffinityArgs final : framework::TypedArgs {
  std::optional<api::NodeAffinity> added_affinity;

  void Decode(api::FieldReader& reader) override;
  void Encode(api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path, const features::FeatureGates&) const override;

 private:
  api::Value written_affinity_;  // selectors have no defaults, so that they are written as they were read
};

}  // namespace berth::plugins
