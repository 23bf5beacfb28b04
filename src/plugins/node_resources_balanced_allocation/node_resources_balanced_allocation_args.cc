// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation_args.h"

#include "config/fields/field_errors.h"

#include <set>
#include <string_view>

namespace berth::plugins {

void NodeResourcesBalancedAllocationArgs::Decode(api::FieldReader& reader) {
  node_resources::DecodeResources(reader, resources);
}

void NodeResourcesBalancedAllocationArgs::Encode(api::Value& map) const {
  map.Set("resources", node_resources::EncodeResources(resources));
}

std::vector<std::string> NodeResourcesBalancedAllocationArgs::Validate(const std::string& path,
                                                                       const features::FeatureGates&) const {
  config::Messages messages;
  std::set<std::string_view> seen;
  for (size_t i = 0; i < resources.size(); ++i) {
    const std::string at = config::Index(config::Child(path, "resources"), i);
    const node_resources::ResourceWeight& resource = resources[i];
    if (!seen.insert(resource.name).second) {
      messages.push_back(config::Duplicate(config::Child(at, "name"), resource.name));
    }
    if (resource.weight != 1) {
      messages.push_back(config::Invalid(config::Child(at, "weight"), resource.weight, "must be 1"));
    }
  }
  return messages;
}

}  // namespace berth::plugins
