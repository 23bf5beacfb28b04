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

// True when `kind` is one of the kinds above.
bool IsSchedulingKind(std::string_view kind);

// Reads one object by its `kind`; its kind must be a scheduling kind. Fields that are missing read as the API server
// would default them; what is wrong goes to `errors`, and then the object must not be used.
Object DecodeObject(const Value& document, DecodeErrors& errors);

// Reads one kind, whatever its `kind` field says.
template <typename T>
T Decode(const Value& document, DecodeErrors& errors);

}  // namespace berth::api
