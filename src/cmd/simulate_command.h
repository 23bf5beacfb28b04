// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/load_cluster.h"
#include "cmd/streams.h"
#include "framework/registry.h"

#include <cstdint>
#include <string>

namespace berth::cmd {

struct SimulateOptions {
  ClusterOptions cluster;
  std::string output = "table";  // table, wide, json or yaml
  uint64_t seed = 0;             // decides between nodes of equal score
  bool colour = false;
};

// `berth simulate`: where would the pending pods go? 0 when all find a node, 3 when some stay pending, 1 when the files
// or the configuration cannot be used.
int RunSimulate(const SimulateOptions& options, const framework::Registry& registry, const Streams& streams);

// The same for a cluster that is loaded already; its pending pods are placed.
int RunSimulate(simulator::DescribedCluster& cluster, const SimulateOptions& options, const Streams& streams);

}  // namespace berth::cmd
