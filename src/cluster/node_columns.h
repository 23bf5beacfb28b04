// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "framework/cluster_view.h"
#include "framework/node_info.h"

#include <cstdint>
#include <span>
#include <vector>

namespace berth::cluster {

// The numbers of all nodes as arrays, one entry per NodeId: a mirror of the rows, written whenever a row changes.
class NodeColumns {
 public:
  // Makes room for ids below `slots`.
  void Resize(size_t slots);
  // Copies a row's numbers into its entries, and notes when it changed: version and cycle.
  void Write(const framework::NodeInfo& row, uint64_t version, uint64_t cycle);
  // Notes that a row was looked at in this cycle and found to be what it was.
  void Touch(framework::NodeId id, uint64_t cycle) { row_cycle_[id] = cycle; }
  // Forgets a node.
  void Clear(framework::NodeId id);

  framework::ResourceColumn resource(framework::ResourceId id) const;
  std::span<const int64_t> nonzero_cpu() const { return nonzero_cpu_; }
  std::span<const int64_t> nonzero_memory() const { return nonzero_memory_; }
  std::span<const int32_t> pod_count() const { return pod_count_; }
  std::span<const int32_t> allowed_pods() const { return allowed_pods_; }
  std::span<const int32_t> lowest_priority() const { return lowest_priority_; }
  std::span<const uint64_t> row_version() const { return row_version_; }
  std::span<const uint64_t> row_cycle() const { return row_cycle_; }
  const Bitset& nodes_with_host_ports() const { return with_host_ports_; }

 private:
  struct Resource {
    std::vector<int64_t> allocatable;
    std::vector<int64_t> requested;
  };
  Resource& Grown(framework::ResourceId id);

  size_t slots_ = 0;
  std::vector<Resource> resources_;  // by ResourceId
  std::vector<int64_t> zeros_;       // stands in for a resource no node ever had
  std::vector<int64_t> nonzero_cpu_;
  std::vector<int64_t> nonzero_memory_;
  std::vector<int32_t> pod_count_;
  std::vector<int32_t> allowed_pods_;
  std::vector<int32_t> lowest_priority_;
  std::vector<uint64_t> row_version_;
  std::vector<uint64_t> row_cycle_;
  Bitset with_host_ports_;
};

}  // namespace berth::cluster
