// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "base/bitset.h"
#include "base/shared_value.h"
#include "framework/cycle_state.h"
#include "framework/indexed_cluster.h"
#include "plugins/pod_topology_spread/constraint.h"

#include <cstdint>
#include <span>
#include <vector>

namespace berth::plugins::spread {

// One constraint, and how the pods it counts lie over its domains.
struct SpreadCounts {
  const Constraint* constraint = nullptr;
  bool selects_itself = false;  // the pod that is to be placed counts too
  const framework::TopologyColumn* column = nullptr;
  bool every_node_has_label = false;   // false may also mean: not known
  Bitset eligible;                     // nodes whose pods count
  std::vector<int32_t> pods;           // by domain plus one: entry 0 stands for nodes without the label, and is zero
  std::span<const int32_t> nodes;      // eligible nodes by domain
  std::vector<int32_t> nodes_if_some;  // behind `nodes` when not every node is eligible
  int32_t domains = 0;                 // with eligible nodes
  int32_t fewest = 0;                  // pods in the emptiest of them; INT32_MAX when there are none
  int32_t most = 0;                    // pods in any domain
};

// What Filter knows. The counts are shared by all clones; a clone adds its own changes, which are few: they come from
// the pods of one node.
class SpreadState final : public framework::CloneableState<SpreadState> {
 public:
  static constexpr bool kEndsWithDecision = true;

  enum class Verdict : uint8_t { Pass, MissingLabel, TooSkewed };

  // First the constraints are filled in, where those of an earlier cycle may still be; then the pods are counted.
  FoundConstraints& Renew() { return counted_.Renew().constraints; }
  void Count(framework::IndexedCluster& cluster, const api::Pod& pod);
  void Clear() { changes_.clear(); }

  // Counts a pod of the same namespace that comes to the node (+1) or leaves it (-1).
  void Update(const api::Pod& changed, framework::NodeId node, int32_t delta);

  Verdict Judge(framework::NodeId node) const;
  std::span<const SpreadCounts> counts() const { return counted_->counts; }
  // The number of pods above which a domain of the constraint takes no more.
  int64_t Limit(size_t constraint) const;
  bool changed() const { return !changes_.empty(); }

 private:
  struct Counted {
    FoundConstraints constraints;
    std::vector<SpreadCounts> counts;
    Bitset nodes_with_keys;
  };
  struct Change {
    size_t constraint;
    int32_t domain;
    int32_t delta;
  };

  int32_t PodsIn(size_t constraint, int32_t domain) const;
  int32_t Fewest(size_t constraint) const;

  SharedValue<Counted> counted_;
  std::vector<int32_t> fewest_;  // by constraint, changes included
  std::vector<Change> changes_;
};

}  // namespace berth::plugins::spread
