// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/load_cluster.h"
#include "cmd/streams.h"
#include "framework/registry.h"

#include <cstdint>
#include <optional>
#include <string>

namespace berth::cmd {

struct SimulateOptions {
  ClusterOptions cluster;
  std::string output = "table";  // table, wide, json or yaml
  std::optional<uint64_t> seed;  // breaks ties between nodes, and drives a scenario's random events
  std::string scenario;          // a scenario file; empty when there is none, or when it is among the cluster's files
  std::string record;            // where to record the run of a scenario; empty: nowhere
  bool colour = false;
};

// `berth simulate`: where would the pending pods go, or, with a scenario, what happens to them over time? 0 when all
// are placed, 3 when some stay pending, 1 when the files or the configuration are unusable.
int RunSimulate(const SimulateOptions& options, const framework::Registry& registry, const Streams& streams);

// The same for a cluster that is already loaded.
int RunSimulate(LoadedCluster cluster, const SimulateOptions& options, const Streams& streams);

}  // namespace berth::cmd
