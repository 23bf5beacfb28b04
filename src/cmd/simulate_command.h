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
  std::optional<uint64_t> seed;  // decides between nodes of equal score, and a scenario's chances
  std::string scenario;          // a file with one; empty when there is none, or when it is among the others
  std::string record;            // where to write down the run of a scenario; empty: nowhere
  bool colour = false;
};

// `berth simulate`: where would the pending pods go, or, with a scenario, what becomes of them over time? 0 when all
// find a node, 3 when some stay pending, 1 when the files or the configuration cannot be used.
int RunSimulate(const SimulateOptions& options, const framework::Registry& registry, const Streams& streams);

// The same for a cluster that is loaded already.
int RunSimulate(LoadedCluster cluster, const SimulateOptions& options, const framework::Registry& registry,
                const Streams& streams);

}  // namespace berth::cmd
