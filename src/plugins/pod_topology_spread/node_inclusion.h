// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "base/bitset.h"
#include "framework/indexed_cluster.h"
#include "plugins/pod_topology_spread/constraint.h"

#include <optional>
#include <span>
#include <vector>

namespace berth::plugins::spread {

// Makes `nodes` those that carry the label of every column.
void FindNodesWithAllKeys(const framework::ClusterView& cluster,
                          std::span<const framework::TopologyColumn* const> columns, Bitset& nodes);

// Which nodes a constraint looks at, by its policies on the pod's node affinity and on taints.
class NodeInclusion {
 public:
  NodeInclusion(framework::IndexedCluster& cluster, const api::Pod& pod) : cluster_(cluster), pod_(pod) {}

  // Takes the nodes out of `nodes` that the constraint leaves aside.
  void Restrict(const Constraint& constraint, Bitset& nodes);

 private:
  const Bitset& AffineNodes();
  const Bitset& ToleratedNodes(bool may_compare);

  framework::IndexedCluster& cluster_;
  const api::Pod& pod_;
  std::optional<Bitset> affine_;  // found on the first question
  std::optional<Bitset> tolerated_;
};

}  // namespace berth::plugins::spread
