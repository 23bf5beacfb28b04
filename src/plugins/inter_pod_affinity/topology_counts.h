// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "framework/indexed_cluster.h"
#include "framework/node_counts.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace berth::plugins::affinity {

// Pods counted by the domain they are in, for one topology key.
struct DomainCounts {
  const framework::TopologyColumn* column = nullptr;
  std::vector<int64_t> pods;       // by domain plus one: entry 0 stands for nodes without the label, and stays zero
  Bitset nodes;                    // that have counted pods themselves
  bool nodes_fill_domains = true;  // each of them is the only node of its domain, as with host names

  int32_t DomainOf(framework::NodeId node) const { return column->domain_of_node[node]; }
  int64_t In(int32_t domain) const { return pods[static_cast<size_t>(domain + 1)]; }
  int64_t At(framework::NodeId node) const { return In(DomainOf(node)); }
  // Whether pods were counted in the node's domain. Only where weights were positive.
  bool IsInhabited(framework::NodeId node) const { return At(node) > 0; }
};

// The same for several topology keys.
class TopologyCounts {
 public:
  static constexpr size_t kNoKey = static_cast<size_t>(-1);

  // Counts each pod `weight` times under the key. Pods on nodes without the label are left out.
  void Add(framework::IndexedCluster& cluster, std::string_view key, const framework::NodeCounts& pods,
           int64_t weight = 1);
  // Makes sure that the key is among keys(), even if nothing is counted under it. Returns its index.
  size_t AddKey(framework::IndexedCluster& cluster, std::string_view key);

  // Starts anew, in the memory it has.
  void Clear();
  std::span<const DomainCounts> keys() const { return std::span(keys_).first(used_); }
  size_t Find(std::string_view key) const;  // kNoKey when absent
  // Whether any pod was counted, whatever the counts add up to.
  bool any() const { return any_; }
  int64_t total() const { return total_; }

 private:
  std::vector<DomainCounts> keys_;
  size_t used_ = 0;  // of keys_; the rest is kept for later
  int64_t total_ = 0;
  bool any_ = false;
};

}  // namespace berth::plugins::affinity
