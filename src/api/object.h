// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/node.h"
#include "api/pod.h"
#include "api/storage.h"
#include "api/value.h"
#include "api/workloads.h"

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace berth::api {

template <typename... Ts>
using AnyOf = std::variant<std::shared_ptr<const Ts>...>;

// Any object that scheduling reads.
using Object = AnyOf<Pod, Node, Namespace, Service, ReplicationController, ReplicaSet, StatefulSet, PodDisruptionBudget,
                     PriorityClass, PersistentVolume, PersistentVolumeClaim, StorageClass, CsiNode, CsiDriver,
                     CsiStorageCapacity, VolumeAttachment>;

// The Kubernetes name of a kind: KindOf<CsiNode>() == "CSINode".
template <typename T>
std::string_view KindOf();

const ObjectMeta& MetaOf(const Object& object);
std::string_view KindOf(const Object& object);
// "v1", "apps/v1": the version of the object's API that Berth speaks.
std::string ApiVersionOf(const Object& object);

// The names of the kinds above, in their order.
std::vector<std::string> SchedulingKinds();
// The object with the uid and version that its store has for it; an empty uid leaves the object's own.
Object WithIdentity(const Object& object, std::string_view uid, std::string_view resource_version);
// True when `kind` is one of the kinds above.
bool IsSchedulingKind(std::string_view kind);
// The same, and `api_version` names the kind's own API group or is empty: others have a Service too.
bool IsSchedulingKind(std::string_view api_version, std::string_view kind);

// Reads one object by its `kind`; its kind must be a scheduling kind. Fields that are missing read as the API server
// would default them; what is wrong goes to `errors`, and then the object must not be used.
Object DecodeObject(const Value& document, DecodeErrors& errors);

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
