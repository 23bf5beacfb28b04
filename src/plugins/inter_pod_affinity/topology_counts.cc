// SPDX-License-Identifier: Apache-2.0
#include "plugins/inter_pod_affinity/topology_counts.h"

namespace berth::plugins::affinity {

using framework::ClusterView;
using framework::NodeCounts;
using framework::NodeId;
using framework::TopologyColumn;

void TopologyCounts::Add(const ClusterView& cluster, std::string_view key, const NodeCounts& pods, int64_t weight) {
  if (pods.total() == 0) return;
  DomainCounts& counts = keys_[AddKey(cluster, key)];
  const std::vector<int32_t>& domain_of_node = counts.column->domain_of_node;
  pods.ForEach([&](NodeId node, int32_t count) {
    const int32_t domain = domain_of_node[node];
    if (domain == TopologyColumn::kMissing) return;
    counts.pods[static_cast<size_t>(domain + 1)] += weight * count;
    total_ += weight * count;
    any_ = true;
  });
}

size_t TopologyCounts::AddKey(const ClusterView& cluster, std::string_view key) {
  if (const size_t known = Find(key); known != kNoKey) return known;
  const TopologyColumn& column = cluster.topology(key);
  keys_.push_back({&column, std::vector<int64_t>(column.domain_count() + 1, 0)});
  return keys_.size() - 1;
}

size_t TopologyCounts::Find(std::string_view key) const {
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].column->key == key) return i;
  }
  return kNoKey;
}

}  // namespace berth::plugins::affinity
