// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/described_objects.h"
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
  bool scored = false;               // false when only one node was feasible
  int64_t score = 0;                 // the node's total
  size_t feasible = 0;               // how many nodes could have taken the pod
  size_t attempts = 1;               // how often the pod was tried
  std::vector<std::string> evicted;  // pods evicted for it
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

// Where the pending pods of a cluster go.
struct PlacementReport {
  uint64_t seed = 0;
  std::vector<Placement> placements;  // in the order of binding
  std::vector<Eviction> evictions;
  std::vector<StillPending> pending;  // highest priority first, then in order of arrival; includes gated pods
  std::vector<GatedPod> gated;
  std::vector<IgnoredPod> ignored;
  Utilisation utilisation;
  std::vector<std::string> problems;  // what the scheduler could not do, one sentence each
};

}  // namespace berth::simulator
