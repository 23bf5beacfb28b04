// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/indexed_cluster.h"
#include "framework/node_info.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace berth::scheduler {

// How many feasible nodes are enough when a configuration asks for `percentage` of them, by upstream's formula: all of
// a small cluster, never fewer than a hundred. Zero leaves it to the size of the cluster.
size_t FeasibleNodesWanted(size_t nodes, int32_t percentage);

// Keeps to a share of the feasible nodes, for configurations that set percentageOfNodesToScore. Each cycle goes on
// where the last one stopped, through zones in turn, so that all nodes get their share. Filtering every node is cheap
// here, so sampling only decides which of them are scored. One thread.
class NodeSampling {
 public:
  explicit NodeSampling(int32_t percentage) : percentage_(percentage) {}

  // Leaves in `feasible` (ascending) the nodes a search that stops early would have found. `named`: the only nodes that
  // were worth looking at, when plugins know them.
  void Narrow(framework::IndexedCluster& cluster, const std::optional<std::set<std::string>>& named,
              std::vector<framework::NodeId>& feasible);

 private:
  void Refresh(framework::IndexedCluster& cluster);

  const int32_t percentage_;
  size_t next_ = 0;                       // in order_
  std::vector<framework::NodeId> order_;  // one node from each zone a round
  // What order_ was made from.
  Bitset live_;
  std::vector<int32_t> zones_;
  std::vector<int32_t> regions_;
};

}  // namespace berth::scheduler
