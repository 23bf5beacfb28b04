// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/affinity.h"
#include "api/decoder.h"
#include "api/labels.h"
#include "api/node_selector.h"

#include <optional>
#include <string_view>

// Parts of objects that also stand in configuration. Each function reads the map its reader stands on; the ones with a
// key read that field of it, nothing when it is missing.
namespace berth::api {

LabelSelector DecodeLabelSelector(FieldReader& reader);
std::optional<LabelSelector> DecodeLabelSelector(FieldReader& reader, std::string_view key);

NodeSelectorTerm DecodeNodeSelectorTerm(FieldReader& reader);
NodeSelector DecodeNodeSelector(FieldReader& reader);
std::optional<NodeSelector> DecodeNodeSelector(FieldReader& reader, std::string_view key);

NodeAffinity DecodeNodeAffinity(FieldReader& reader);
PodAffinityTerm DecodePodAffinityTerm(FieldReader& reader);
PodAffinity DecodePodAffinity(FieldReader& reader);
Affinity DecodeAffinity(FieldReader& reader);

TopologySpreadConstraint DecodeTopologySpreadConstraint(FieldReader& reader);

}  // namespace berth::api
