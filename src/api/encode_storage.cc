// SPDX-License-Identifier: Apache-2.0
#include "api/encode_parts.h"

namespace berth::api {
namespace {

Value Storage(const Quantity& amount) { return MapWriter().Text(kResourceStorage, amount.ToString()).Take(); }

MapWriter VolumeSpec(const PersistentVolume& volume) {
  MapWriter spec;
  if (!volume.storage.IsZero()) spec.Put("capacity", Storage(volume.storage));
  spec.Texts("accessModes", volume.access_modes)
      .Text("storageClassName", volume.storage_class_name)
      .Text("volumeMode", volume.volume_mode)
      .OptionalText("volumeAttributesClassName", volume.volume_attributes_class_name);
  if (const std::optional<ObjectReference>& claim = volume.claim_ref) {
    spec.Put("claimRef", MapWriter()
                             .Text("kind", claim->kind)
                             .Text("namespace", claim->namespace_)
                             .Text("name", claim->name)
                             .Text("uid", claim->uid)
                             .Take());
  }
  spec.Map("nodeAffinity", MapWriter().NodeTerms("required", volume.node_affinity));
  if (!volume.csi_driver.empty()) {
    spec.Put("csi",
             MapWriter().Text("driver", volume.csi_driver).Text("volumeHandle", volume.csi_volume_handle).Take());
  }
  if (auto [field, source] = EncodeSource(volume.in_tree); !field.empty()) spec.Put(field, std::move(source));
  return spec;
}

}  // namespace

void EncodeBody(const PersistentVolume& object, MapWriter& map) {
  map.Map("spec", VolumeSpec(object)).Map("status", MapWriter().Text("phase", object.phase));
}

void EncodeBody(const PersistentVolumeClaim& object, MapWriter& map) {
  MapWriter spec;
  spec.OptionalText("storageClassName", object.storage_class_name)
      .Text("volumeName", object.volume_name)
      .Text("volumeMode", object.volume_mode)
      .Texts("accessModes", object.access_modes)
      .Selector("selector", object.selector)
      .OptionalText("volumeAttributesClassName", object.volume_attributes_class_name);
  if (!object.storage_request.IsZero()) {
    spec.Put("resources", MapWriter().Put("requests", Storage(object.storage_request)).Take());
  }
  map.Map("spec", std::move(spec)).Map("status", MapWriter().Text("phase", object.phase));
}

void EncodeBody(const StorageClass& object, MapWriter& map) {
  map.Text("provisioner", object.provisioner)
      .OptionalText("volumeBindingMode", object.volume_binding_mode)
      .List("allowedTopologies", object.allowed_topologies, [](const auto& requirements) {
        return MapWriter()
            .List("matchLabelExpressions", requirements,
                  [](const TopologySelectorRequirement& requirement) {
                    return MapWriter().Text("key", requirement.key).Texts("values", requirement.values).Take();
                  })
            .Take();
      });
}

void EncodeBody(const CsiNode& object, MapWriter& map) {
  map.Map("spec", MapWriter().List("drivers", object.drivers, [](const CsiNodeDriver& driver) {
    return MapWriter()
        .Text("name", driver.name)
        .Text("nodeID", driver.node_id)
        .Texts("topologyKeys", driver.topology_keys)
        .Map("allocatable", MapWriter().Number("count", driver.allocatable_count))
        .Take();
  }));
}

void EncodeBody(const CsiDriver& object, MapWriter& map) {
  map.Map("spec", MapWriter()
                      .Put("storageCapacity", Value::Bool(object.storage_capacity))
                      .Put("attachRequired", Value::Bool(object.attach_required)));
}

void EncodeBody(const CsiStorageCapacity& object, MapWriter& map) {
  map.Text("storageClassName", object.storage_class_name).Selector("nodeTopology", object.node_topology);
  if (object.capacity) map.Text("capacity", object.capacity->ToString());
  if (object.maximum_volume_size) map.Text("maximumVolumeSize", object.maximum_volume_size->ToString());
}

void EncodeBody(const VolumeAttachment& object, MapWriter& map) {
  MapWriter source;
  source.OptionalText("persistentVolumeName", object.persistent_volume_name);
  if (object.inline_volume) source.Put("inlineVolumeSpec", VolumeSpec(*object.inline_volume).Take());
  map.Map("spec", MapWriter()
                      .Text("attacher", object.attacher)
                      .Text("nodeName", object.node_name)
                      .Map("source", std::move(source)));
}

}  // namespace berth::api
