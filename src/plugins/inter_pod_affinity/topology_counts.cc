// SPDX-License-Identifier: Apache-2.0
#include "plugins/inter_pod_affinity/topology_counts.h"

namespace berth::plugins::affinity {

using framework::IndexedCluster;
using framework::NodeCounts;
using framework::NodeId;
using framework::TopologyColumn;

void TopologyCounts::Add(IndexedCluster& cluster, std::string_view key, const NodeCounts& pods, int64_t weight) {
  if (pods.total() == 0) return;
  DomainCounts& counts = keys_[AddKey(cluster, key)];
  const TopologyColumn& column = *counts.column;
  int64_t counted = 0;
  bool fill_domains = counts.nodes_fill_domains;
  pods.ForEach([&](NodeId node, int32_t count) {
    const int32_t domain = column.domain_of_node[node];
    if (domain == TopologyColumn::kMissing) return;
    counts.pods[static_cast<size_t>(domain + 1)] += weight * count;
    counts.nodes.Set(node);
    fill_domains = fill_domains && column.nodes_in_domain[static_cast<size_t>(domain)] == 1;
    counted += count;
  });
  counts.nodes_fill_domains = fill_domains;
  total_ += weight * counted;
  any_ = any_ || counted > 0;
}

size_t TopologyCounts::AddKey(IndexedCluster& cluster, std::string_view key) {
  if (const size_t known = Find(key); known != kNoKey) return known;
  const TopologyColumn& column = cluster.topology(key);
  if (used_ == keys_.size()) keys_.emplace_back();
  DomainCounts& counts = keys_[used_];
  counts.column = &column;
  counts.pods.assign(column.domain_count() + 1, 0);
  counts.nodes.Resize(cluster.node_slots());
  counts.nodes.ResetAll();
  counts.nodes_fill_domains = true;
  return used_++;
}

void TopologyCounts::Clear() {
  used_ = 0;
  total_ = 0;
  any_ = false;
}

size_t TopologyCounts::Find(std::string_view key) const {
  for (size_t i = 0; i < used_; ++i) {
    if (keys_[i].column->key == key) return i;
  }
  return kNoKey;
}

}  // namespace berth::plugins::affinity
