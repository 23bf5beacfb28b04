// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/node_inclusion.h"

#include "framework/node_scan.h"
#include "plugins/node_affinity/node_sets.h"

#include <algorithm>
#include <numeric>

namespace berth::plugins::spread {
namespace {

using framework::ClusterView;
using framework::NodeId;
using framework::TopologyColumn;

bool KeepsAway(const api::Taint& taint, std::span<const api::Toleration> tolerations, bool may_compare) {
  return (taint.effect == api::TaintEffect::NoSchedule || taint.effect == api::TaintEffect::NoExecute) &&
         !api::Tolerated(taint, tolerations, may_compare);
}

}  // namespace

void FindNodesWithAllKeys(const ClusterView& cluster, std::span<const TopologyColumn* const> columns, Bitset& nodes) {
  nodes = cluster.live_nodes();
  for (const TopologyColumn* column : columns) {
    const int64_t labelled =
        std::accumulate(column->nodes_in_domain.begin(), column->nodes_in_domain.end(), int64_t{0});
    if (labelled == static_cast<int64_t>(cluster.node_count())) continue;
    framework::KeepWhere(nodes, [&](NodeId node) { return column->domain_of_node[node] != TopologyColumn::kMissing; });
  }
}

void NodeInclusion::Restrict(const Constraint& constraint, Bitset& nodes) {
  const bool has_affinity = !pod_.spec->node_selector.empty() || RequiredAffinity(*pod_.spec) != nullptr;
  if (constraint.honors_affinity && has_affinity) nodes.And(AffineNodes());
  if (constraint.honors_taints) nodes.And(ToleratedNodes(constraint.tolerations_compare));
}

const Bitset& NodeInclusion::AffineNodes() {
  if (affine_) return *affine_;
  affine_ = cluster_.live_nodes();
  KeepMeetingRequirements(*pod_.spec, cluster_, *affine_);
  return *affine_;
}

// Whether tolerations may use Lt and Gt is the same for all constraints of a pod.
const Bitset& NodeInclusion::ToleratedNodes(bool may_compare) {
  if (tolerated_) return *tolerated_;
  const framework::TaintColumn taints = cluster_.taints();
  std::vector<uint8_t> set_is_tolerated(taints.sets.size());
  for (size_t set = 0; set < taints.sets.size(); ++set) {
    set_is_tolerated[set] = static_cast<uint8_t>(
        std::none_of(taints.sets[set].begin(), taints.sets[set].end(),
                     [&](const api::Taint& taint) { return KeepsAway(taint, pod_.spec->tolerations, may_compare); }));
  }
  tolerated_ = cluster_.live_nodes();
  framework::KeepWhere(*tolerated_, [&](NodeId node) { return set_is_tolerated[taints.set_of_node[node]] != 0; });
  return *tolerated_;
}

}  // namespace berth::plugins::spread
