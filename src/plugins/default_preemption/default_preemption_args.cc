// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/default_preemption_args.h"

#include "config/fields/field_errors.h"

namespace berth::plugins {

void DefaultPreemptionArgs::Decode(api::FieldReader& reader) {
  min_candidate_nodes_percentage = reader.Int32("minCandidateNodesPercentage").value_or(min_candidate_nodes_percentage);
  min_candidate_nodes_absolute = reader.Int32("minCandidateNodesAbsolute").value_or(min_candidate_nodes_absolute);
}

void DefaultPreemptionArgs::Encode(api::Value& map) const {
  map.Set("minCandidateNodesPercentage", api::Value::Int(min_candidate_nodes_percentage));
  map.Set("minCandidateNodesAbsolute", api::Value::Int(min_candidate_nodes_absolute));
}

std::vector<std::string> DefaultPreemptionArgs::Validate(const std::string& path, const features::FeatureGates&) const {
  config::Messages messages;
  const std::string percentage = config::Child(path, "minCandidateNodesPercentage");
  const std::string absolute = config::Child(path, "minCandidateNodesAbsolute");
  const int32_t least = min_candidate_nodes_percentage;
  if (least < 0 || least > 100) messages.push_back(config::Invalid(percentage, least, "not in valid range [0, 100]"));
  if (min_candidate_nodes_absolute < 0) {
    messages.push_back(config::Invalid(absolute, min_candidate_nodes_absolute, "not in valid range [0, inf)"));
  }
  if (least == 0 && min_candidate_nodes_absolute == 0) {
    messages.push_back(
        config::Invalid(percentage, int64_t{0}, "cannot be zero at the same time as minCandidateNodesAbsolute"));
    messages.push_back(
        config::Invalid(absolute, int64_t{0}, "cannot be zero at the same time as minCandidateNodesPercentage"));
  }
  return messages;
}

}  // namespace berth::plugins
