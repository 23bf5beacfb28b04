// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/custom_object.h"
#include "api/object.h"
#include "api/storage.h"
#include "api/workloads.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace berth::framework {

// Looks up the cluster's other objects. Pointers stay valid until the cluster next changes.
//
// Everything is found in tables that are kept up to date as objects change; asking changes nothing. The cluster stands
// still while a cycle runs: Filter and Score may ask from any number of threads. Otherwise the engine thread only.
//
// Only kinds that an enabled plugin declares (registry.h) or registers events for are watched. Look-ups of any other
// kind find nothing, even when the home has such objects.
class Lister {
 public:
  virtual ~Lister() = default;

  virtual const api::Namespace* FindNamespace(std::string_view name) const = 0;
  virtual std::vector<const api::Namespace*> Namespaces() const = 0;
  virtual std::vector<const api::Service*> Services(std::string_view ns) const = 0;
  virtual const api::ReplicationController* FindReplicationController(std::string_view ns,
                                                                      std::string_view name) const = 0;
  virtual const api::ReplicaSet* FindReplicaSet(std::string_view ns, std::string_view name) const = 0;
  virtual const api::StatefulSet* FindStatefulSet(std::string_view ns, std::string_view name) const = 0;
  // Sorted by namespace and name.
  virtual std::vector<const api::PodDisruptionBudget*> PodDisruptionBudgets() const = 0;
  virtual const api::PriorityClass* FindPriorityClass(std::string_view name) const = 0;
  virtual std::vector<const api::PriorityClass*> PriorityClasses() const = 0;

  virtual const api::PersistentVolume* FindPersistentVolume(std::string_view name) const = 0;
  // Volumes of one storage class, sorted by name.
  virtual std::vector<const api::PersistentVolume*> PersistentVolumesOfClass(std::string_view storage_class) const = 0;
  virtual const api::PersistentVolumeClaim* FindClaim(std::string_view ns, std::string_view name) const = 0;
  virtual const api::StorageClass* FindStorageClass(std::string_view name) const = 0;
  virtual const api::CsiNode* FindCsiNode(std::string_view name) const = 0;
  virtual const api::CsiDriver* FindCsiDriver(std::string_view name) const = 0;
  virtual std::vector<const api::CsiStorageCapacity*> StorageCapacities() const = 0;
  virtual std::vector<const api::VolumeAttachment*> VolumeAttachments() const = 0;
  virtual std::vector<const api::VolumeAttachment*> VolumeAttachmentsOf(std::string_view node) const = 0;

  // Objects of kinds that Berth has no type for. A kind is named with its group, as in "Tenant.example.com"; the
  // namespace is empty for cluster-scoped kinds.
  virtual const api::CustomObject* FindCustom(std::string_view kind, std::string_view ns,
                                              std::string_view name) const = 0;
  // Sorted by namespace and name.
  virtual std::vector<const api::CustomObject*> CustomObjects(std::string_view kind) const = 0;

  // Every object of a kind, whatever its type, sorted by namespace and name. Shared, so they outlive the next change.
  virtual std::vector<api::Object> ObjectsOf(std::string_view kind) const = 0;

  // A number that changes whenever an object of the kind changes, and is never reused, not even in a fork: what was
  // derived from the objects of a kind is valid as long as this number is the same.
  virtual uint64_t Version(std::string_view kind) const = 0;
};

}  // namespace berth::framework
