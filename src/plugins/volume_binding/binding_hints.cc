// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/binding_hints.h"

#include "framework/event_objects.h"
#include "plugins/storage/claims.h"
#include "plugins/storage/csi_migration.h"

#include <algorithm>
#include <optional>

namespace berth::plugins {
namespace {

using namespace framework;

bool SameTopologies(const api::StorageClass& a, const api::StorageClass& b) {
  const auto same_requirement = [](const auto& x, const auto& y) { return x.key == y.key && x.values == y.values; };
  const auto same_term = [&](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same_requirement);
  };
  return std::equal(a.allowed_topologies.begin(), a.allowed_topologies.end(), b.allowed_topologies.begin(),
                    b.allowed_topologies.end(), same_term);
}

Result<QueueingHint> AfterStorageClassChanged(const PodInfo&, const api::Object* before, const api::Object* after) {
  const auto* old_class = ObjectAs<api::StorageClass>(before);
  const auto* new_class = ObjectAs<api::StorageClass>(after);
  if (old_class == nullptr || new_class == nullptr) return QueueingHint::Queue;
  return SameTopologies(*old_class, *new_class) ? QueueingHint::QueueSkip : QueueingHint::Queue;
}

Result<QueueingHint> AfterClaimChanged(const PodInfo& pod, const api::Object*, const api::Object* after) {
  const auto* claim = ObjectAs<api::PersistentVolumeClaim>(after);
  if (claim == nullptr) return QueueingHint::Queue;
  return storage::UsesClaim(*pod, *claim) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterCsiNodeChanged(const PodInfo&, const api::Object* before, const api::Object* after) {
  const auto* old_node = ObjectAs<api::CsiNode>(before);
  const auto* new_node = ObjectAs<api::CsiNode>(after);
  if (old_node == nullptr || new_node == nullptr) return QueueingHint::Queue;
  const std::string* old_plugins = storage::MigratedPluginsOf(*old_node);
  const std::string* new_plugins = storage::MigratedPluginsOf(*new_node);
  const std::string none;
  const bool is_same = (old_plugins != nullptr ? *old_plugins : none) == (new_plugins != nullptr ? *new_plugins : none);
  return is_same ? QueueingHint::QueueSkip : QueueingHint::Queue;
}

// Room is no longer asked for when the driver stops telling it.
Result<QueueingHint> AfterCsiDriverChanged(const PodInfo& pod, const api::Object* before, const api::Object* after) {
  const auto* old_driver = ObjectAs<api::CsiDriver>(before);
  const auto* new_driver = ObjectAs<api::CsiDriver>(after);
  if (old_driver == nullptr || new_driver == nullptr) return QueueingHint::Queue;
  if (!old_driver->storage_capacity || new_driver->storage_capacity) return QueueingHint::QueueSkip;
  // The view of an in-line CSI volume does not name its driver: any may be the one that changed.
  const auto is_inline_csi = [](const api::Volume& volume) {
    const auto* other = std::get_if<api::OtherVolume>(&volume.source);
    return other != nullptr && other->kind == "csi";
  };
  const std::vector<api::Volume>& volumes = pod.spec().volumes;
  return std::any_of(volumes.begin(), volumes.end(), is_inline_csi) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

std::optional<int64_t> VolumeLimit(const api::CsiStorageCapacity& capacity) {
  const std::optional<api::Quantity>& limit =
      capacity.maximum_volume_size.has_value() ? capacity.maximum_volume_size : capacity.capacity;
  return limit.has_value() ? std::optional(limit->Value()) : std::nullopt;
}

Result<QueueingHint> AfterCapacityChanged(const PodInfo&, const api::Object* before, const api::Object* after) {
  const auto* old_capacity = ObjectAs<api::CsiStorageCapacity>(before);
  const auto* new_capacity = ObjectAs<api::CsiStorageCapacity>(after);
  if (old_capacity == nullptr || new_capacity == nullptr) return QueueingHint::Queue;
  // An absent limit compares as lower than any.
  return VolumeLimit(*new_capacity) > VolumeLimit(*old_capacity) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

}  // namespace

std::vector<ClusterEventWithHint> VolumeBindingEvents() {
  // Claims of ephemeral volumes are named after the pod, so each pod is asked about claims.
  return {{{EventResource::StorageClass, kAdd | kUpdate}, AfterStorageClassChanged, /*by_template=*/true},
          {{EventResource::PersistentVolumeClaim, kAdd | kUpdate}, AfterClaimChanged},
          {{EventResource::PersistentVolume, kAdd | kUpdate}, nullptr, /*by_template=*/true},
          {{EventResource::Node, kAdd | kUpdateNodeLabel}, nullptr, /*by_template=*/true},
          {{EventResource::CsiNode, kAdd | kUpdate}, AfterCsiNodeChanged, /*by_template=*/true},
          {{EventResource::CsiDriver, kUpdate}, AfterCsiDriverChanged, /*by_template=*/true},
          {{EventResource::CsiStorageCapacity, kAdd | kUpdate}, AfterCapacityChanged, /*by_template=*/true}};
}

}  // namespace berth::plugins
