// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/taint.h"
#include "base/bitset.h"
#include "framework/node_info.h"
#include "framework/resource.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

namespace berth::framework {

// One resource over all nodes, indexed by NodeId.
struct ResourceColumn {
  std::span<const int64_t> allocatable;
  std::span<const int64_t> requested;
};

// The taints of all nodes: few distinct sets, so a verdict is reached once per set, not once per node. As with domains,
// a number means nothing once the cluster has changed.
struct TaintColumn {
  std::span<const uint32_t> set_of_node;          // by NodeId
  std::span<const std::vector<api::Taint>> sets;  // by set number; set 0 is empty
};

// A container image and the nodes that hold it.
struct ImageState {
  // How many nodes held it from a cycle on.
  struct Spread {
    uint64_t cycle = 0;
    size_t node_count = 0;
  };
  int64_t size_bytes = 0;  // as the first node that had it reported
  Bitset nodes;            // may be shorter than node_slots(): nodes beyond its end do not have the image
  size_t node_count = 0;
  std::vector<Spread> history;  // by cycle, ascending; never empty, ends with node_count

  // As upstream, a node counts the holders as they were when the first cycle after its own last change began. Takes the
  // row_cycle() of a node that holds the image.
  size_t HoldersSeenFrom(uint64_t row_cycle) const {
    if (row_cycle >= history.back().cycle) return node_count;
    const auto later = std::ranges::upper_bound(history, row_cycle, {}, &Spread::cycle);
    return later == history.begin() ? later->node_count : std::prev(later)->node_count;
  }
};

// The cluster as columns. Node ids are below node_slots(); those without a node are vacant: their bit in live_nodes()
// is clear and their column entries mean nothing.
//
// The cluster stands still while a cycle runs, and every answer is read as it lies there: nothing is built, kept or
// noted. During a cycle, Filter and Score may therefore ask from any number of threads; between cycles, only the engine
// thread. References and pointers stay valid until the cluster next changes. What is answered from indexes that are
// built when first asked is IndexedCluster's (indexed_cluster.h).
class ClusterView {
 public:
  virtual ~ClusterView() = default;

  // How many scheduling cycles have begun.
  virtual uint64_t cycle() const = 0;

  virtual size_t node_slots() const = 0;
  virtual size_t node_count() const = 0;
  virtual const Bitset& live_nodes() const = 0;
  virtual const NodeInfo& node(NodeId id) const = 0;
  virtual NodeId FindNode(std::string_view name) const = 0;  // kNoNode when absent

  // Numbers, by NodeId.
  virtual ResourceColumn resource(ResourceId id) const = 0;
  virtual std::span<const int64_t> nonzero_cpu() const = 0;
  virtual std::span<const int64_t> nonzero_memory() const = 0;
  virtual std::span<const int32_t> pod_count() const = 0;
  virtual std::span<const int32_t> allowed_pods() const = 0;
  // The lowest priority of a pod on the node; INT32_MAX on an empty node. Tells where preemption has anything to take.
  virtual std::span<const int32_t> lowest_priority() const = 0;
  // Grows with every change of a node or of its pods: equal versions mean rows that are equal in all that scheduling
  // counts. A pod that is confirmed, or whose status alone changes, leaves the version as it is.
  virtual std::span<const uint64_t> row_version() const = 0;
  // How many scheduling cycles had begun when the node or its pods last changed.
  virtual std::span<const uint64_t> row_cycle() const = 0;

  // What nodes are.
  virtual const Bitset& unschedulable_nodes() const = 0;
  virtual TaintColumn taints() const = 0;
  virtual const ImageState* image(std::string_view name) const = 0;
  virtual const Bitset& nodes_with_host_ports() const = 0;

  // What pods are where.
  // How many pods use the claim "namespace/name".
  virtual int ClaimUsers(std::string_view claim) const = 0;
};

}  // namespace berth::framework
