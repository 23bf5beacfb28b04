// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "api/node_selector.h"
#include "api/storage.h"
#include "framework/lister.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::plugins {

using VolumePtr = std::shared_ptr<const api::PersistentVolume>;
using ClaimPtr = std::shared_ptr<const api::PersistentVolumeClaim>;

// A place where a storage class can make volumes.
struct StorageRoom {
  api::Selector where;   // by node labels
  int64_t capacity = 0;  // bytes, for all volumes to come; zero when the driver tells only how large one may be
};

// What a claim without a volume can get, as far as it does not depend on the node.
struct VolumeChoices {
  ClaimPtr claim;
  // Volumes that are set aside for this claim: the first that is free settles the matter, wherever it lies.
  std::vector<VolumePtr> reserved;
  // Volumes that would do, the smallest first.
  std::vector<VolumePtr> open;
  // Set when the claim's selector does not parse.
  std::string problem;

  // Whether and where a new volume can be made.
  bool can_provision = false;
  std::optional<api::NodeSelector> allowed_topologies;  // anywhere when absent
  bool is_capacity_known = false;                       // the driver tells how much room there is where
  std::vector<StorageRoom> rooms;                       // the places with room enough for this claim
};

// `volumes` are those of the claim's class.
VolumeChoices ChoicesFor(ClaimPtr claim, const std::vector<VolumePtr>& volumes, const framework::Lister& lister);

// Says whether the volume is bound to the claim, or set aside for it.
bool IsBoundTo(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);

}  // namespace berth::plugins
