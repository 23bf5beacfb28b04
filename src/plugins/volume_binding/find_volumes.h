// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "framework/lister.h"
#include "framework/status.h"
#include "plugins/volume_binding/pod_claims.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace berth::plugins {

// Why a node is unsuitable: bits, because several reasons can apply at once.
enum VolumeConflict : uint8_t {
  kOutOfReach = 1U << 0U,  // a bound volume cannot be reached from the node
  kNoVolume = 1U << 1U,    // a claim finds no volume, and none can be made for it
  kNoRoom = 1U << 2U,      // a volume could be made, but there is no room
  kVolumeGone = 1U << 3U,  // a bound volume does not exist
};
inline constexpr size_t kConflictSets = 16;

framework::Status ConflictStatus(uint8_t conflicts);

// What a pod's unbound claims would get on a node.
struct FoundVolumes {
  struct Binding {
    ClaimPtr claim;
    VolumePtr volume;
  };
  // A volume to be made.
  struct Provision {
    ClaimPtr claim;
    std::optional<int64_t> room;  // bytes at the place it would come from, where the driver tells
  };
  uint8_t conflicts = 0;
  std::vector<Binding> bindings;
  std::vector<Provision> provisions;
};

Result<FoundVolumes> FindVolumes(const PodClaims& claims, const api::Node& node, const framework::Lister& lister);
// For the unbound claims alone.
Result<FoundVolumes> FindVolumesForUnbound(const PodClaims& claims, const api::Node& node);

}  // namespace berth::plugins
