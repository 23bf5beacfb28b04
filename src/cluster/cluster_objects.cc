// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_objects.h"

#include <atomic>
#include <type_traits>

namespace berth::cluster {
namespace {

std::string KeyOf(std::string_view ns, std::string_view name) {
  std::string key(ns);
  key += '/';
  key += name;
  return key;
}

// Unique in the process, so that two forks of one table never give one number to different objects.
uint64_t NextVersion() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

// As upstream, the annotation that the field replaced goes before the field.
std::string_view ClassOf(const api::PersistentVolume& volume) {
  const std::string* annotated = volume.meta.annotations.Find("volume.beta.kubernetes.io/storage-class");
  return annotated != nullptr ? *annotated : volume.storage_class_name;
}

}  // namespace

void ClusterObjects::Set(const api::Object& object) {
  std::visit(
      [&](const auto& pointer) {
        using T = std::remove_const_t<typename std::remove_cvref_t<decltype(pointer)>::element_type>;
        if constexpr (std::is_same_v<T, api::CustomObject>) {
          custom_[pointer->kind][pointer->meta.Key()] = pointer;
          KindChanged(pointer->kind);
        } else if constexpr (!std::is_same_v<T, api::Pod> && !std::is_same_v<T, api::Node>) {
          std::shared_ptr<const T>& kept = std::get<Table<T>>(tables_)[pointer->meta.Key()];
          if constexpr (std::is_same_v<T, api::PersistentVolume>) {
            if (kept != nullptr) Unindex(*kept);
            Index(pointer);
          }
          kept = pointer;
          KindChanged(api::KindOf<T>());
        }
      },
      object);
}

void ClusterObjects::KindChanged(std::string_view kind) {
  if (const auto it = versions_.find(kind); it != versions_.end()) {
    it->second = NextVersion();
  } else {
    versions_.emplace(kind, NextVersion());
  }
}

bool ClusterObjects::Remove(std::string_view kind, std::string_view key) {
  bool removed = false;
  const auto remove_from = [&]<typename T>(Table<T>& table) {
    if (api::KindOf<T>() != kind) return;
    if (const auto it = table.find(key); it != table.end()) {
      if constexpr (std::is_same_v<T, api::PersistentVolume>) Unindex(*it->second);
      table.erase(it);
      KindChanged(kind);
      removed = true;
    }
  };
  if (const auto of_kind = custom_.find(kind); of_kind != custom_.end()) {
    const auto it = of_kind->second.find(key);
    if (it == of_kind->second.end()) return false;
    of_kind->second.erase(it);
    if (of_kind->second.empty()) custom_.erase(of_kind);
    KindChanged(kind);
    return true;
  }
  std::apply([&](auto&... table) { (remove_from(table), ...); }, tables_);
  return removed;
}

std::optional<api::Object> ClusterObjects::FindObject(std::string_view kind, std::string_view key) const {
  std::optional<api::Object> found;
  const auto look_in = [&]<typename T>(const Table<T>& table) {
    if (api::KindOf<T>() != kind) return;
    if (const auto it = table.find(key); it != table.end()) found = it->second;
  };
  std::apply([&](const auto&... table) { (look_in(table), ...); }, tables_);
  if (const auto of_kind = custom_.find(kind); of_kind != custom_.end()) {
    if (const auto it = of_kind->second.find(key); it != of_kind->second.end()) found = it->second;
  }
  return found;
}

template <typename T>
const T* ClusterObjects::Find(std::string_view key) const {
  const Table<T>& table = std::get<Table<T>>(tables_);
  const auto it = table.find(key);
  return it == table.end() ? nullptr : it->second.get();
}

template <typename T>
const T* ClusterObjects::Find(std::string_view ns, std::string_view name) const {
  return Find<T>(KeyOf(ns, name));
}

template <typename T>
std::vector<const T*> ClusterObjects::All() const {
  std::vector<const T*> all;
  for (const auto& [key, object] : std::get<Table<T>>(tables_)) all.push_back(object.get());
  return all;
}

const api::Namespace* ClusterObjects::FindNamespace(std::string_view name) const { return Find<api::Namespace>(name); }
std::vector<const api::Namespace*> ClusterObjects::Namespaces() const { return All<api::Namespace>(); }

std::vector<const api::Service*> ClusterObjects::Services(std::string_view ns) const {
  std::vector<const api::Service*> services;
  const auto& table = std::get<Table<api::Service>>(tables_);
  const std::string prefix = KeyOf(ns, "");
  for (auto it = table.lower_bound(prefix); it != table.end() && it->first.starts_with(prefix); ++it) {
    services.push_back(it->second.get());
  }
  return services;
}

const api::ReplicationController* ClusterObjects::FindReplicationController(std::string_view ns,
                                                                            std::string_view name) const {
  return Find<api::ReplicationController>(ns, name);
}
const api::ReplicaSet* ClusterObjects::FindReplicaSet(std::string_view ns, std::string_view name) const {
  return Find<api::ReplicaSet>(ns, name);
}
const api::StatefulSet* ClusterObjects::FindStatefulSet(std::string_view ns, std::string_view name) const {
  return Find<api::StatefulSet>(ns, name);
}
std::vector<const api::PodDisruptionBudget*> ClusterObjects::PodDisruptionBudgets() const {
  return All<api::PodDisruptionBudget>();
}
const api::PriorityClass* ClusterObjects::FindPriorityClass(std::string_view name) const {
  return Find<api::PriorityClass>(name);
}
std::vector<const api::PriorityClass*> ClusterObjects::PriorityClasses() const { return All<api::PriorityClass>(); }
const api::PersistentVolume* ClusterObjects::FindPersistentVolume(std::string_view name) const {
  return Find<api::PersistentVolume>(name);
}

std::vector<const api::PersistentVolume*> ClusterObjects::PersistentVolumesOfClass(
    std::string_view storage_class) const {
  std::vector<const api::PersistentVolume*> volumes;
  const auto of_class = volumes_of_class_.find(storage_class);
  if (of_class == volumes_of_class_.end()) return volumes;
  volumes.reserve(of_class->second.size());
  for (const auto& [key, volume] : of_class->second) volumes.push_back(volume.get());
  return volumes;
}

void ClusterObjects::Index(const std::shared_ptr<const api::PersistentVolume>& volume) {
  volumes_of_class_[std::string(ClassOf(*volume))][volume->meta.Key()] = volume;
}

void ClusterObjects::Unindex(const api::PersistentVolume& volume) {
  const auto of_class = volumes_of_class_.find(ClassOf(volume));
  of_class->second.erase(volume.meta.Key());
  if (of_class->second.empty()) volumes_of_class_.erase(of_class);
}

const api::PersistentVolumeClaim* ClusterObjects::FindClaim(std::string_view ns, std::string_view name) const {
  return Find<api::PersistentVolumeClaim>(ns, name);
}
const api::StorageClass* ClusterObjects::FindStorageClass(std::string_view name) const {
  return Find<api::StorageClass>(name);
}
const api::CsiNode* ClusterObjects::FindCsiNode(std::string_view name) const { return Find<api::CsiNode>(name); }
const api::CsiDriver* ClusterObjects::FindCsiDriver(std::string_view name) const { return Find<api::CsiDriver>(name); }
std::vector<const api::CsiStorageCapacity*> ClusterObjects::StorageCapacities() const {
  return All<api::CsiStorageCapacity>();
}

std::vector<const api::VolumeAttachment*> ClusterObjects::VolumeAttachments() const {
  return All<api::VolumeAttachment>();
}

std::vector<const api::VolumeAttachment*> ClusterObjects::VolumeAttachmentsOf(std::string_view node) const {
  std::vector<const api::VolumeAttachment*> attachments;
  for (const auto& [key, attachment] : std::get<Table<api::VolumeAttachment>>(tables_)) {
    if (attachment->node_name == node) attachments.push_back(attachment.get());
  }
  return attachments;
}

const api::CustomObject* ClusterObjects::FindCustom(std::string_view kind, std::string_view ns,
                                                    std::string_view name) const {
  const auto of_kind = custom_.find(kind);
  if (of_kind == custom_.end()) return nullptr;
  const auto it = of_kind->second.find(ns.empty() ? std::string(name) : KeyOf(ns, name));
  return it == of_kind->second.end() ? nullptr : it->second.get();
}

std::vector<const api::CustomObject*> ClusterObjects::CustomObjects(std::string_view kind) const {
  std::vector<const api::CustomObject*> objects;
  const auto of_kind = custom_.find(kind);
  if (of_kind == custom_.end()) return objects;
  for (const auto& [key, object] : of_kind->second) objects.push_back(object.get());
  return objects;
}

std::vector<api::Object> ClusterObjects::ObjectsOf(std::string_view kind) const {
  std::vector<api::Object> objects;
  const auto add_all = [&]<typename T>(const Table<T>& table) {
    for (const auto& [key, object] : table) objects.emplace_back(object);
  };
  const auto look_in = [&]<typename T>(const Table<T>& table) {
    if (api::KindOf<T>() == kind) add_all(table);
  };
  std::apply([&](const auto&... table) { (look_in(table), ...); }, tables_);
  if (const auto of_kind = custom_.find(kind); of_kind != custom_.end()) add_all(of_kind->second);
  return objects;
}

uint64_t ClusterObjects::Version(std::string_view kind) const {
  const auto it = versions_.find(kind);
  return it == versions_.end() ? 0 : it->second;
}

}  // namespace berth::cluster
