// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/node_inclusion.h"

#include "framework/node_scan.h"

#include <algorithm>
#include <numeric>

namespace berth::plugins::spread {
namespace {

using framework::ClusterView;
using framework::NodeId;
using framework::TopologyColumn;

// Keeps the nodes for which a field requirement holds. The node's name is the only field; any other reads as empty.
void KeepByField(const ClusterView& cluster, const api::NodeSelectorRequirement& requirement, Bitset& nodes) {
  const std::string& value = requirement.values[0];
  Bitset equal(cluster.node_slots(), requirement.key != "metadata.name" && value.empty());
  if (requirement.key == "metadata.name") {
    if (const NodeId id = cluster.FindNode(value); id != framework::kNoNode) equal.Set(id);
  }
  if (requirement.op == "In") {
    nodes.And(equal);
  } else {
    nodes.AndNot(equal);
  }
}

Bitset NodesMatching(const ClusterView& cluster, const api::NodeSelectorTerm& term) {
  if (term.empty() || !api::Parses(term)) return Bitset(cluster.node_slots());
  Bitset nodes = cluster.live_nodes();
  for (const auto& requirement : term.match_expressions) nodes.And(cluster.NodesMatching(requirement));
  for (const auto& requirement : term.match_fields) KeepByField(cluster, requirement, nodes);
  return nodes;
}

const api::NodeSelector* RequiredAffinity(const api::PodSpec& spec) {
  const bool is_set = spec.affinity != nullptr && spec.affinity->node && spec.affinity->node->required;
  return is_set ? &*spec.affinity->node->required : nullptr;
}

bool KeepsAway(const api::Taint& taint, std::span<const api::Toleration> tolerations) {
  return (taint.effect == api::TaintEffect::NoSchedule || taint.effect == api::TaintEffect::NoExecute) &&
         !api::Tolerated(taint, tolerations);
}

}  // namespace

Bitset NodesWithAllKeys(const ClusterView& cluster, std::span<const TopologyColumn* const> columns) {
  Bitset nodes = cluster.live_nodes();
  for (const TopologyColumn* column : columns) {
    const int64_t labelled =
        std::accumulate(column->nodes_in_domain.begin(), column->nodes_in_domain.end(), int64_t{0});
    if (labelled == static_cast<int64_t>(cluster.node_count())) continue;
    nodes = framework::NodesWhere(
        nodes, [&](NodeId node) { return column->domain_of_node[node] != TopologyColumn::kMissing; });
  }
  return nodes;
}

void NodeInclusion::Restrict(const Constraint& constraint, Bitset& nodes) {
  const bool has_affinity = !pod_.spec->node_selector.empty() || RequiredAffinity(*pod_.spec) != nullptr;
  if (constraint.honors_affinity && has_affinity) nodes.And(AffineNodes());
  if (constraint.honors_taints) nodes.And(ToleratedNodes());
}

const Bitset& NodeInclusion::AffineNodes() {
  if (affine_) return *affine_;
  affine_ = cluster_.live_nodes();
  for (const auto& [key, value] : pod_.spec->node_selector) {
    affine_->And(cluster_.NodesMatching({key, "In", {value}}));
  }
  if (const api::NodeSelector* required = RequiredAffinity(*pod_.spec)) {
    Bitset any(cluster_.node_slots());
    for (const api::NodeSelectorTerm& term : required->terms) any.Or(NodesMatching(cluster_, term));
    affine_->And(any);
  }
  return *affine_;
}

const Bitset& NodeInclusion::ToleratedNodes() {
  if (tolerated_) return *tolerated_;
  const framework::TaintColumn taints = cluster_.taints();
  std::vector<uint8_t> set_is_tolerated(taints.sets.size());
  for (size_t set = 0; set < taints.sets.size(); ++set) {
    set_is_tolerated[set] = static_cast<uint8_t>(
        std::none_of(taints.sets[set].begin(), taints.sets[set].end(),
                     [&](const api::Taint& taint) { return KeepsAway(taint, pod_.spec->tolerations); }));
  }
  tolerated_ = framework::NodesWhere(cluster_.live_nodes(),
                                     [&](NodeId node) { return set_is_tolerated[taints.set_of_node[node]] != 0; });
  return *tolerated_;
}

}  // namespace berth::plugins::spread
