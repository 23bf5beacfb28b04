// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "api/node_selector.h"
#include "base/bitset.h"
#include "framework/cluster_view.h"
#include "framework/node_counts.h"
#include "framework/pod_info.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::framework {

// The values of one topology label over all nodes. Domains are numbered densely: when the last node of one leaves,
// another takes over its number, so a number means nothing once the cluster has changed.
struct TopologyColumn {
  static constexpr int32_t kMissing = -1;
  std::string key;
  std::vector<int32_t> domain_of_node;   // by NodeId; kMissing where the node lacks the label
  std::vector<std::string> values;       // by domain
  std::vector<int32_t> nodes_in_domain;  // by domain; at least one

  size_t domain_count() const { return values.size(); }
  // Adds the nodes of the domain to a set of node_slots() nodes.
  void AddNodesOf(int32_t domain, Bitset& nodes) const;
};

// Which pods to count: those that match every term (scope and selector), and are not being deleted if asked so.
struct PodQuery {
  std::span<const AffinityTerm* const> all_of;
  bool skip_terminating = false;
};

// An affinity term that pods in the cluster carry, with how many of them sit on each node.
struct CarriedTerm {
  AffinityTerm term;
  int32_t weight = 0;  // zero for required terms
  NodeCounts carriers;
};

enum class TermKind : uint8_t { RequiredAffinity, RequiredAntiAffinity, PreferredAffinity, PreferredAntiAffinity };

// The cluster with the questions that are answered from indexes: built when first asked, kept up to date afterwards,
// and dropped when nobody has asked for long. Asking changes them, so this is for the engine thread alone. It is handed
// to the points that run there (PreFilter, PreScore, PostFilter …) and to no others: what Filter and Score need of an
// index is left for them in the CycleState. References stay valid until the cluster next changes or the next cycle
// begins.
class IndexedCluster : public ClusterView {
 public:
  // What nodes are.
  virtual const TopologyColumn& topology(std::string_view key) = 0;
  virtual const Bitset& NodesMatching(const api::NodeSelectorRequirement& requirement) = 0;

  // What pods are where.
  virtual const NodeCounts& CountPods(const PodQuery& query) = 0;
  virtual std::vector<const CarriedTerm*> carried_terms(TermKind kind) = 0;  // those with carriers
  // Those that may match a pod with these labels, found without looking at the rest. Whether they do is still to ask.
  virtual void FindCarriedTerms(TermKind kind, const api::Labels& labels, std::vector<const CarriedTerm*>& terms) = 0;
};

}  // namespace berth::framework
