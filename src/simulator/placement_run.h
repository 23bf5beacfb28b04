// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/described_cluster.h"
#include "simulator/utilisation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::simulator {

struct Placement {
  std::string pod;
  std::string node;
  std::string profile;
  int32_t priority = 0;
  bool scored = false;               // false when a single node was left: nothing to compare
  int64_t score = 0;                 // the node's total
  size_t feasible = 0;               // how many nodes could have taken the pod
  size_t attempts = 1;               // how often the pod was tried
  std::vector<std::string> evicted;  // pods that had to go for it
};

struct Eviction {
  std::string pod;
  std::string node;
  std::string preemptor;
  int32_t priority = 0;
};

struct StillPending {
  std::string pod;
  std::string profile;
  int32_t priority = 0;
  std::string message;                 // as in the FailedScheduling event
  std::vector<std::string> rejectors;  // plugins that rejected the pod or a node
};

struct GatedPod {
  std::string pod;
  std::string plugin;
  std::string message;
};

struct PlacementReport {
  uint64_t seed = 0;
  std::vector<Placement> placements;  // in the order of placing
  std::vector<Eviction> evictions;
  std::vector<StillPending> pending;
  std::vector<GatedPod> gated;
  std::vector<IgnoredPod> ignored;
  Utilisation utilisation;
};

// Places the pending pods one after the other in queue order, each against the state the former left, as the scheduler
// would. Pods that must be evicted go at once, and the pod they went for gets their node. A pod that fits nowhere is
// tried again after others were placed or evicted, until nothing changes any more. Equal clusters and seeds give equal
// reports.
PlacementReport PlacePendingPods(DescribedCluster& described, uint64_t seed);

}  // namespace berth::simulator
