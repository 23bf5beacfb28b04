// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/stored_cluster.h"
#include "scheduler/engine.h"
#include "store/store.h"

#include <set>
#include <string>

namespace berth::test {

// What an engine knows that has heard everything and decided nothing.
struct LoadedState {
  std::string cluster;              // ClusterState::Describe
  std::set<std::string> waiting;    // uids in the queue
  std::set<std::string> nominated;  // nodes with promises
};
LoadedState StateOf(scheduler::Engine& engine);
// That of a new engine over this store, with the plugins in their default configuration.
LoadedState FreshStateOf(store::Store& store);

// Empty, or where the engine and the store differ now that nothing is under way between them: a pod of ours must be
// bound, with the engine knowing where, or wait in exactly one place. Includes the engine's own invariants.
std::string Disagreements(scheduler::Engine& engine, const StoredCluster& cluster);

}  // namespace berth::test
