// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/meta.h"
#include "api/node_selector.h"
#include "api/resources.h"
#include "api/volume.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::api {

struct ObjectReference {
  std::string kind;
  std::string namespace_;
  std::string name;
  std::string uid;
};

struct PersistentVolume {
  ObjectMeta meta;
  Quantity storage;  // spec.capacity.storage
  std::vector<std::string> access_modes;
  std::string storage_class_name;
  std::string volume_mode;  // empty means Filesystem
  std::optional<std::string> volume_attributes_class_name;
  std::optional<ObjectReference> claim_ref;
  std::optional<NodeSelector> node_affinity;
  std::string csi_driver;  // empty when the volume is no CSI volume
  std::string csi_volume_handle;
  Volume in_tree;  // the source of a volume that is not CSI
  std::string phase;
};

struct PersistentVolumeClaim {
  ObjectMeta meta;
  std::optional<std::string> storage_class_name;
  std::string volume_name;
  std::string volume_mode;
  std::vector<std::string> access_modes;
  Quantity storage_request;
  std::optional<LabelSelector> selector;
  std::optional<std::string> volume_attributes_class_name;
  std::string phase;
};

struct TopologySelectorRequirement {
  std::string key;
  std::vector<std::string> values;
};

struct StorageClass {
  ObjectMeta meta;
  std::string provisioner;
  std::optional<std::string> volume_binding_mode;                            // Immediate, WaitForFirstConsumer
  std::vector<std::vector<TopologySelectorRequirement>> allowed_topologies;  // terms ORed, requirements ANDed
};

struct CsiNodeDriver {
  std::string name;
  std::string node_id;
  std::vector<std::string> topology_keys;
  std::optional<int32_t> allocatable_count;
};

struct CsiNode {
  ObjectMeta meta;
  std::vector<CsiNodeDriver> drivers;
};

struct CsiDriver {
  ObjectMeta meta;
  bool storage_capacity = false;
  bool attach_required = true;
};

struct CsiStorageCapacity {
  ObjectMeta meta;
  std::string storage_class_name;
  std::optional<LabelSelector> node_topology;
  std::optional<Quantity> capacity;
  std::optional<Quantity> maximum_volume_size;
};

struct VolumeAttachment {
  ObjectMeta meta;
  std::string attacher;
  std::string node_name;
  std::optional<std::string> persistent_volume_name;
  std::optional<PersistentVolume> inline_volume;
};

}  // namespace berth::api
