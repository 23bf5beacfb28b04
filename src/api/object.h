// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/custom_object.h"
#include "api/decoder.h"
#include "api/kinds.h"
#include "api/node.h"
#include "api/pod.h"
#include "api/storage.h"
#include "api/value.h"
#include "api/workloads.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace berth::api {

template <typename... Ts>
using AnyOf = std::variant<std::shared_ptr<const Ts>...>;

// Any object that scheduling reads. The kinds stand in the order of kKinds; what has no type comes last.
using Object = AnyOf<Pod, Node, Namespace, Service, ReplicationController, ReplicaSet, StatefulSet, PodDisruptionBudget,
                     PriorityClass, PersistentVolume, PersistentVolumeClaim, StorageClass, CsiNode, CsiDriver,
                     CsiStorageCapacity, VolumeAttachment, CustomObject>;
static_assert(std::variant_size_v<Object> == kKinds.size() + 1);

// What the table of kinds says of a type.
template <typename T>
constexpr const KindInfo& InfoOf() {
  static_assert(!std::is_same_v<T, CustomObject>, "custom objects are of many kinds");
  size_t place = 0;
  [&]<typename... Ts>(std::type_identity<AnyOf<Ts...>>) {
    static_cast<void>(((std::is_same_v<T, Ts> || (++place, false)) || ...));
  }(std::type_identity<Object>());
  return kKinds.at(place);
}

// The Kubernetes name of a kind: KindOf<CsiNode>() == "CSINode".
template <typename T>
constexpr std::string_view KindOf() {
  return InfoOf<T>().name;
}

const ObjectMeta& MetaOf(const Object& object);
// The name of the object's kind; "Tenant.example.com" for one that Berth has no type for.
std::string_view KindOf(const Object& object);
// "v1", "apps/v1": the version of the object's API that Berth speaks; of custom objects, their own.
std::string ApiVersionOf(const Object& object);

// The names of the kinds that Berth has types for, in their order.
std::vector<std::string> SchedulingKinds();
// The object with the uid and version that its store has for it; an empty uid leaves the object's own.
Object WithIdentity(const Object& object, std::string_view uid, std::string_view resource_version);
// True when Berth has a type for the kind.
bool IsSchedulingKind(std::string_view kind);
// The same, and `api_version` names the kind's own API group or is empty: others have a Service too.
bool IsSchedulingKind(std::string_view api_version, std::string_view kind);

// Reads one object by its `kind`; its kind must be a scheduling kind. Fields that are missing read as the API server
// would default them; what is wrong goes to `errors`, and then the object must not be used.
Object DecodeObject(const Value& document, DecodeErrors& errors);
// The same, where documents of these custom kinds are read, too.
Object DecodeObject(const Value& document, std::span<const std::string> custom_kinds, DecodeErrors& errors);

// Reads one kind, whatever its `kind` field says.
template <typename T>
T Decode(const Value& document, DecodeErrors& errors);

template <>
Pod Decode<Pod>(const Value& document, DecodeErrors& errors);
// The same for a pod that an API server returned: what it could fill in is there, what is missing stays so.
Pod DecodeStoredPod(const Value& document, DecodeErrors& errors);
template <>
Node Decode<Node>(const Value& document, DecodeErrors& errors);
template <>
Namespace Decode<Namespace>(const Value& document, DecodeErrors& errors);
template <>
Service Decode<Service>(const Value& document, DecodeErrors& errors);
template <>
ReplicationController Decode<ReplicationController>(const Value& document, DecodeErrors& errors);
template <>
ReplicaSet Decode<ReplicaSet>(const Value& document, DecodeErrors& errors);
template <>
StatefulSet Decode<StatefulSet>(const Value& document, DecodeErrors& errors);
template <>
PodDisruptionBudget Decode<PodDisruptionBudget>(const Value& document, DecodeErrors& errors);
template <>
PriorityClass Decode<PriorityClass>(const Value& document, DecodeErrors& errors);
template <>
PersistentVolume Decode<PersistentVolume>(const Value& document, DecodeErrors& errors);
template <>
PersistentVolumeClaim Decode<PersistentVolumeClaim>(const Value& document, DecodeErrors& errors);
template <>
StorageClass Decode<StorageClass>(const Value& document, DecodeErrors& errors);
template <>
CsiNode Decode<CsiNode>(const Value& document, DecodeErrors& errors);
template <>
CsiDriver Decode<CsiDriver>(const Value& document, DecodeErrors& errors);
template <>
CsiStorageCapacity Decode<CsiStorageCapacity>(const Value& document, DecodeErrors& errors);
template <>
VolumeAttachment Decode<VolumeAttachment>(const Value& document, DecodeErrors& errors);

}  // namespace berth::api
