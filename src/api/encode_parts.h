// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/map_writer.h"
#include "api/object.h"

#include <string>
#include <utility>
#include <vector>

// Each kind's fields beside apiVersion, kind and metadata.
namespace berth::api {

void EncodeBody(const Pod& pod, MapWriter& map);
void EncodeBody(const Node& node, MapWriter& map);
void EncodeBody(const Namespace& object, MapWriter& map);
void EncodeBody(const Service& object, MapWriter& map);
void EncodeBody(const ReplicationController& object, MapWriter& map);
void EncodeBody(const ReplicaSet& object, MapWriter& map);
void EncodeBody(const StatefulSet& object, MapWriter& map);
void EncodeBody(const PodDisruptionBudget& object, MapWriter& map);
void EncodeBody(const PriorityClass& object, MapWriter& map);
void EncodeBody(const PersistentVolume& object, MapWriter& map);
void EncodeBody(const PersistentVolumeClaim& object, MapWriter& map);
void EncodeBody(const StorageClass& object, MapWriter& map);
void EncodeBody(const CsiNode& object, MapWriter& map);
void EncodeBody(const CsiDriver& object, MapWriter& map);
void EncodeBody(const CsiStorageCapacity& object, MapWriter& map);
void EncodeBody(const VolumeAttachment& object, MapWriter& map);

// Taints of nodes and tolerations of pods name effects alike; no effect is no text.
std::string_view EffectName(TaintEffect effect);
std::vector<Value> EncodeConditions(const std::vector<Condition>& conditions);
// The field of a volume's source, as in {"emptyDir", {}}; no name when there is no source.
std::pair<std::string, Value> EncodeSource(const Volume& volume);

}  // namespace berth::api
