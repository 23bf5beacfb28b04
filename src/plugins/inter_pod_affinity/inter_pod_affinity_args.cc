// SPDX-License-Identifier: Apache-2.0
#include "plugins/inter_pod_affinity/inter_pod_affinity_args.h"

#include "config/fields/field_errors.h"

namespace berth::plugins {

void InterPodAffinityArgs::Decode(api::FieldReader& reader) {
  hard_pod_affinity_weight = reader.Int32("hardPodAffinityWeight").value_or(hard_pod_affinity_weight);
  ignore_preferred_terms_of_existing_pods = reader.Bool("ignorePreferredTermsOfExistingPods");
}

void InterPodAffinityArgs::Encode(api::Value& map) const {
  map.Set("hardPodAffinityWeight", api::Value::Int(hard_pod_affinity_weight));
  map.Set("ignorePreferredTermsOfExistingPods", api::Value::Bool(ignore_preferred_terms_of_existing_pods));
}

std::vector<std::string> InterPodAffinityArgs::Validate(const std::string& path, const features::FeatureGates&) const {
  const int32_t weight = hard_pod_affinity_weight;
  if (weight >= 0 && weight <= 100) return {};
  return {config::Invalid(config::Child(path, "hardPodAffinityWeight"), weight, "not in valid range [0, 100]")};
}

}  // namespace berth::plugins
