// SPDX-License-Identifier: Apache-2.0
#include "api/decode_meta.h"
#include "api/decode_selectors.h"
#include "api/decode_volume.h"
#include "api/object.h"

namespace berth::api {
namespace {

// What a PersistentVolume has in its spec, and a VolumeAttachment inline.
void DecodePersistentVolumeSpec(FieldReader& spec, PersistentVolume& volume) {
  const ResourceList capacity = DecodeResourceList(spec, "capacity");
  if (const Quantity* storage = capacity.Find(kResourceStorage)) volume.storage = *storage;
  volume.access_modes = spec.Strings("accessModes");
  volume.storage_class_name = spec.String("storageClassName");
  volume.volume_mode = spec.String("volumeMode");
  volume.volume_attributes_class_name = spec.OptionalString("volumeAttributesClassName");
  spec.Map("claimRef", [&](FieldReader& r) {
    volume.claim_ref = {r.String("kind"), r.String("namespace"), r.String("name"), r.String("uid")};
  });
  spec.Map("nodeAffinity", [&](FieldReader& r) { volume.node_affinity = DecodeNodeSelector(r, "required"); });
  spec.Map("csi", [&](FieldReader& r) {
    volume.csi_driver = r.String("driver");
    volume.csi_volume_handle = r.String("volumeHandle");
  });
  volume.in_tree = DecodePersistentSource(spec);
}

}  // namespace

template <>
PersistentVolume Decode<PersistentVolume>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  PersistentVolume object;
  object.meta = DecodeMetaOf<PersistentVolume>(reader);
  reader.Map("spec", [&](FieldReader& spec) { DecodePersistentVolumeSpec(spec, object); });
  object.phase = "Pending";
  reader.Map("status", [&](FieldReader& status) { object.phase = status.String("phase", "Pending"); });
  return object;
}

template <>
PersistentVolumeClaim Decode<PersistentVolumeClaim>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  PersistentVolumeClaim object;
  object.meta = DecodeMetaOf<PersistentVolumeClaim>(reader);
  reader.Map("spec", [&](FieldReader& spec) {
    object.storage_class_name = spec.OptionalString("storageClassName");
    object.volume_name = spec.String("volumeName");
    object.volume_mode = spec.String("volumeMode");
    object.access_modes = spec.Strings("accessModes");
    spec.Map("resources", [&](FieldReader& resources) {
      const ResourceList requests = DecodeResourceList(resources, "requests");
      if (const Quantity* storage = requests.Find(kResourceStorage)) object.storage_request = *storage;
    });
    object.selector = DecodeLabelSelector(spec, "selector");
    object.volume_attributes_class_name = spec.OptionalString("volumeAttributesClassName");
  });
  object.phase = "Pending";
  reader.Map("status", [&](FieldReader& status) { object.phase = status.String("phase", "Pending"); });
  return object;
}

template <>
StorageClass Decode<StorageClass>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  StorageClass object;
  object.meta = DecodeMetaOf<StorageClass>(reader);
  object.provisioner = reader.String("provisioner");
  object.volume_binding_mode = reader.String("volumeBindingMode", "Immediate");
  reader.ForEach("allowedTopologies", [&](FieldReader& term) {
    std::vector<TopologySelectorRequirement>& requirements = object.allowed_topologies.emplace_back();
    term.ForEach("matchLabelExpressions", [&](FieldReader& r) {
      requirements.push_back({r.String("key"), r.Strings("values")});
    });
  });
  return object;
}

template <>
CsiNode Decode<CsiNode>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  CsiNode object;
  object.meta = DecodeMetaOf<CsiNode>(reader);
  reader.Map("spec", [&](FieldReader& spec) {
    spec.ForEach("drivers", [&](FieldReader& r) {
      CsiNodeDriver driver{r.String("name"), r.String("nodeID"), r.Strings("topologyKeys"), {}};
      r.Map("allocatable", [&](FieldReader& allocatable) { driver.allocatable_count = allocatable.Int32("count"); });
      object.drivers.push_back(std::move(driver));
    });
  });
  return object;
}

template <>
CsiDriver Decode<CsiDriver>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  CsiDriver object;
  object.meta = DecodeMetaOf<CsiDriver>(reader);
  reader.Map("spec", [&](FieldReader& spec) {
    object.storage_capacity = spec.Bool("storageCapacity", false);
    object.attach_required = spec.Bool("attachRequired", true);
  });
  return object;
}

template <>
CsiStorageCapacity Decode<CsiStorageCapacity>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  CsiStorageCapacity object;
  object.meta = DecodeMetaOf<CsiStorageCapacity>(reader);
  object.storage_class_name = reader.String("storageClassName");
  object.node_topology = DecodeLabelSelector(reader, "nodeTopology");
  object.capacity = reader.QuantityAt("capacity");
  object.maximum_volume_size = reader.QuantityAt("maximumVolumeSize");
  return object;
}

template <>
VolumeAttachment Decode<VolumeAttachment>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  VolumeAttachment object;
  object.meta = DecodeMetaOf<VolumeAttachment>(reader);
  reader.Map("spec", [&](FieldReader& spec) {
    object.attacher = spec.String("attacher");
    object.node_name = spec.String("nodeName");
    spec.Map("source", [&](FieldReader& source) {
      object.persistent_volume_name = source.OptionalString("persistentVolumeName");
      source.Map("inlineVolumeSpec",
                 [&](FieldReader& r) { DecodePersistentVolumeSpec(r, object.inline_volume.emplace()); });
    });
  });
  return object;
}

}  // namespace berth::api
