// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "framework/lister.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace berth::cluster {

// The cluster's objects other than nodes and pods, by kind and key.
class ClusterObjects final : public framework::Lister {
 public:
  // Nodes and pods are not kept here.
  void Set(const api::Object& object);
  // Says whether the object was there.
  bool Remove(std::string_view kind, std::string_view key);

  std::optional<api::Object> FindObject(std::string_view kind, std::string_view key) const;

  const api::Namespace* FindNamespace(std::string_view name) const override;
  std::vector<const api::Namespace*> Namespaces() const override;
  std::vector<const api::Service*> Services(std::string_view ns) const override;
  const api::ReplicationController* FindReplicationController(std::string_view ns,
                                                              std::string_view name) const override;
  const api::ReplicaSet* FindReplicaSet(std::string_view ns, std::string_view name) const override;
  const api::StatefulSet* FindStatefulSet(std::string_view ns, std::string_view name) const override;
  std::vector<const api::PodDisruptionBudget*> PodDisruptionBudgets() const override;
  const api::PriorityClass* FindPriorityClass(std::string_view name) const override;
  std::vector<const api::PriorityClass*> PriorityClasses() const override;
  const api::PersistentVolume* FindPersistentVolume(std::string_view name) const override;
  std::vector<const api::PersistentVolume*> PersistentVolumesOfClass(std::string_view storage_class) const override;
  const api::PersistentVolumeClaim* FindClaim(std::string_view ns, std::string_view name) const override;
  const api::StorageClass* FindStorageClass(std::string_view name) const override;
  const api::CsiNode* FindCsiNode(std::string_view name) const override;
  const api::CsiDriver* FindCsiDriver(std::string_view name) const override;
  std::vector<const api::CsiStorageCapacity*> StorageCapacities() const override;
  std::vector<const api::VolumeAttachment*> VolumeAttachments() const override;
  std::vector<const api::VolumeAttachment*> VolumeAttachmentsOf(std::string_view node) const override;
  const api::CustomObject* FindCustom(std::string_view kind, std::string_view ns, std::string_view name) const override;
  std::vector<const api::CustomObject*> CustomObjects(std::string_view kind) const override;
  std::vector<api::Object> ObjectsOf(std::string_view kind) const override;
  uint64_t Version(std::string_view kind) const override;

 private:
  // Ordered, so that whatever lists objects lists them in one order.
  template <typename T>
  using Table = std::map<std::string, std::shared_ptr<const T>, std::less<>>;
  template <typename T>
  const T* Find(std::string_view key) const;
  template <typename T>
  const T* Find(std::string_view ns, std::string_view name) const;
  template <typename T>
  std::vector<const T*> All() const;
  void Index(const std::shared_ptr<const api::PersistentVolume>& volume);
  void Unindex(const api::PersistentVolume& volume);
  void KindChanged(std::string_view kind);

  std::tuple<Table<api::Namespace>, Table<api::Service>, Table<api::ReplicationController>, Table<api::ReplicaSet>,
             Table<api::StatefulSet>, Table<api::PodDisruptionBudget>, Table<api::PriorityClass>,
             Table<api::PersistentVolume>, Table<api::PersistentVolumeClaim>, Table<api::StorageClass>,
             Table<api::CsiNode>, Table<api::CsiDriver>, Table<api::CsiStorageCapacity>, Table<api::VolumeAttachment>>
      tables_;
  std::map<std::string, Table<api::CustomObject>, std::less<>> custom_;  // by kind
  // The volumes once more, by storage class: a claim without a volume asks for those of its class.
  std::map<std::string, Table<api::PersistentVolume>, std::less<>> volumes_of_class_;
  std::map<std::string, uint64_t, std::less<>> versions_;  // by kind
};

}  // namespace berth::cluster
