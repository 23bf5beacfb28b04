// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/affinity.h"
#include "framework/plugin_args.h"

#include <string>
#include <vector>

namespace berth::plugins {

struct PodTopologySpreadArgs final : framework::TypedArgs {
  std::vector<api::TopologySpreadConstraint> default_constraints;
  std::string defaulting_type = "System";  // or List

  void Decode(api::FieldReader& reader) override;
  void Encode(api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path, const features::FeatureGates&) const override;

 private:
  // The word for whenUnsatisfiable as written: the decoded constraint knows only the two good ones.
  std::string WrittenAction(size_t constraint) const;
  void CheckConstraint(size_t i, const std::string& list, std::vector<std::string>& messages) const;

  api::Value written_constraints_;  // constraints have no defaults, so that they are written as they were read
};

}  // namespace berth::plugins
