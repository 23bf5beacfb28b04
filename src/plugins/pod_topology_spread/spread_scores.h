// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "framework/cycle_state.h"
#include "framework/indexed_cluster.h"
#include "framework/node_info.h"
#include "framework/score_column.h"
#include "plugins/pod_topology_spread/constraint.h"

#include <cstdint>
#include <span>
#include <vector>

namespace berth::plugins::spread {

// One constraint with what it adds to a node's score: the pods in the node's domain times a weight that grows with the
// number of domains, plus the skew that is allowed for.
struct SpreadScore {
  bool is_hostname = false;
  int32_t max_skew = 1;
  const framework::TopologyColumn* column = nullptr;
  double weight = 0;
  std::vector<double> of_domain;                   // by domain plus one; entry 0, for nodes without the label, is zero
  const framework::NodeCounts* on_node = nullptr;  // for host names instead: pods by node; null counts as all zero

  double For(int64_t pods) const { return static_cast<double>(pods) * weight + static_cast<double>(max_skew - 1); }
};

// What Score knows. High scores are bad until they are normalised.
class SpreadScores final : public framework::CloneableState<SpreadScores> {
 public:
  static constexpr bool kEndsWithDecision = true;

  // First the constraints are filled in, where those of an earlier cycle may still be; then the pods are counted.
  FoundConstraints& Renew() { return constraints_; }
  void Count(framework::IndexedCluster& cluster, const api::Pod& pod, bool require_all_keys,
             std::span<const framework::NodeId> feasible);
  void Clear() {}

  int64_t Of(const framework::NodeInfo& node) const;
  void WriteAll(framework::ScoreColumn& scores) const;
  void Normalize(framework::ScoreColumn& scores) const;

 private:
  // Notes which of the feasible nodes lack a label they must have. Says how many.
  size_t FindIgnored(const framework::ClusterView& cluster, std::span<const framework::NodeId> feasible);
  void ScoreDomains(SpreadScore& part, const framework::NodeCounts* counts,
                    std::span<const framework::NodeId> feasible);
  void WriteByDomain(framework::ScoreColumn& scores) const;
  // The scores of the nodes that are not ignored.
  framework::ScoreRange RangeOfOthers(const framework::ScoreColumn& scores) const;
  double SumOver(framework::NodeId node) const;
  bool IsIgnored(framework::NodeId node) const { return ignored_.size() != 0 && ignored_.Test(node); }

  FoundConstraints constraints_;
  std::vector<SpreadScore> parts_;  // parallel to the constraints
  bool require_all_keys_ = false;
  bool every_node_has_keys_ = false;
  Bitset ignored_;  // feasible nodes that lack a label they must have, and score nothing; empty when none lacks any
  // Only while they are counted.
  Bitset labelled_;
  Bitset eligible_;
  std::vector<int64_t> pods_;
};

}  // namespace berth::plugins::spread
