// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/storage.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugins {

// The labels that tell where a volume or a node is.
inline constexpr std::array<std::string_view, 4> kZoneLabels = {
    "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region"};

// The label that took the place of kZoneLabels[i]; itself when it is current.
inline constexpr std::array<size_t, 4> kCurrentLabel = {2, 3, 2, 3};

// One label of a volume: the node must have one of the values.
struct VolumeTopology {
  size_t label = 0;                 // an index of kZoneLabels
  std::vector<std::string> values;  // sorted, unique
  bool Allows(std::string_view value) const;
  friend bool operator==(const VolumeTopology&, const VolumeTopology&) = default;
};

// Labels whose value is malformed are left out.
std::vector<VolumeTopology> TopologiesOf(const api::PersistentVolume& volume);

// Says whether a node with these labels may use volumes of these topologies. A node without any zone label is taken to
// be in a cluster of one zone.
bool TopologiesAllow(const std::vector<VolumeTopology>& topologies, const api::Labels& node_labels);

}  // namespace berth::plugins
