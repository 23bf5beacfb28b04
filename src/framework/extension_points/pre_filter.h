// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/indexed_cluster.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <optional>
#include <set>
#include <string>

namespace berth::framework {

// The verdict of PreFilter, and the only nodes worth looking at if the plugin knows them.
struct PreFilterResult {
  Status status;
  std::optional<std::set<std::string>> node_names;  // nothing means all nodes
};

// Runs once per cycle, before Filter, in order: checks the pod and prepares state. Skip leaves this plugin's Filter out
// of the cycle; a rejection ends the cycle. Engine thread, with nothing beside it: here a plugin asks the indexes for
// what its Filter will read, and brings up to date what it keeps itself. `cluster` is the one its Handle shows.
class PreFilterPlugin {
 public:
  virtual PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, IndexedCluster& cluster) = 0;

 protected:
  ~PreFilterPlugin() = default;  // never deleted through this base
};

// Keeps PreFilter's state true while pods are added to or removed from a copy of a node (nominated pods, preemption).
// `state` is a clone; `node` already has the change. Engine thread.
class PreFilterExtensions {
 public:
  virtual Status AddPod(CycleState& state, const PodInfo& pod, const PodInfo& added, const NodeInfo& node) const = 0;
  virtual Status RemovePod(CycleState& state, const PodInfo& pod, const PodInfo& removed,
                           const NodeInfo& node) const = 0;

 protected:
  ~PreFilterExtensions() = default;  // never deleted through this base
};

}  // namespace berth::framework
