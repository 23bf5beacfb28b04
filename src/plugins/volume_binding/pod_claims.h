// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "framework/lister.h"
#include "framework/status.h"
#include "plugins/storage/csi_migration.h"
#include "plugins/volume_binding/assume_cache.h"
#include "plugins/volume_binding/volume_choices.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::plugins {

// What bindings in progress have made of claims and volumes.
struct Assumptions {
  AssumeCache<api::PersistentVolumeClaim> claims;
  AssumeCache<api::PersistentVolume> volumes;
};

// A claim's volume and where it can be reached from.
struct BoundVolume {
  VolumePtr volume;  // null when the volume is gone
  // Set for volumes of a built-in driver: on nodes that leave these to CSI the translation counts.
  const storage::InTreePlugin* plugin = nullptr;
  std::optional<api::NodeSelector> translated_affinity;
  std::string translation_problem;
};

// A pod's claims, looked up once per cycle. Objects that are not assumed are borrowed from the cluster: nothing of this
// may be used after the cluster has changed.
struct PodClaims {
  std::vector<BoundVolume> bound;
  std::vector<VolumeChoices> pinned;   // an earlier attempt has given them a node; in the pod's order
  std::vector<VolumeChoices> waiting;  // they wait for the pod's node; the smallest request first
  bool has_immediate = false;          // some claim should have been bound before
};

// Why a pod with such claims cannot run anywhere; Skip when it has no claims, Success when they can be looked at.
framework::Status CheckClaims(const api::Pod& pod, const framework::Lister& lister);

// The claims of a pod that passed CheckClaims.
Result<PodClaims> LookUpClaims(const api::Pod& pod, const framework::Lister& lister, const Assumptions& assumptions);

}  // namespace berth::plugins
