// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/volume_binding_args.h"

#include "api/document.h"
#include "config/fields/field_errors.h"

namespace berth::plugins {

using features::Gate;

std::vector<node_resources::UtilizationShapePoint> DefaultStorageShape() { return {{0, 10}, {100, 0}}; }

void VolumeBindingArgs::AddGatedDefaults(const features::FeatureGates& gates) {
  if (gates.Enabled(Gate::StorageCapacityScoring)) shape = DefaultStorageShape();
}

void VolumeBindingArgs::Decode(api::FieldReader& reader) {
  bind_timeout_seconds = reader.Int64("bindTimeoutSeconds").value_or(bind_timeout_seconds);
  std::vector<node_resources::UtilizationShapePoint> points = node_resources::DecodeShape(reader);
  // An empty list leaves the default. If there is no default, keep the list, so that Validate can report the gate.
  if (!points.empty() || (reader.Raw("shape") != nullptr && !shape)) shape = std::move(points);
}

void VolumeBindingArgs::Encode(api::Value& map) const {
  map.Set("bindTimeoutSeconds", api::Value::Int(bind_timeout_seconds));
  if (shape) map.Set("shape", node_resources::EncodeShape(*shape));
}

std::vector<std::string> VolumeBindingArgs::Validate(const std::string& path,
                                                     const features::FeatureGates& gates) const {
  config::Messages messages;
  if (bind_timeout_seconds < 0) {
    messages.push_back(config::Invalid(config::Child(path, "bindTimeoutSeconds"), bind_timeout_seconds,
                                       "invalid BindTimeoutSeconds, should not be a negative value"));
  }
  if (gates.Enabled(Gate::StorageCapacityScoring)) {
    node_resources::CheckShape(shape.value_or(std::vector<node_resources::UtilizationShapePoint>{}),
                               config::Child(path, "shape"), messages);
  } else if (shape) {
    messages.push_back(
        config::InvalidRaw(config::Child(path, "shape"), api::ToJson(node_resources::EncodeShape(*shape)),
                           "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"));
  }
  return messages;
}

}  // namespace berth::plugins
