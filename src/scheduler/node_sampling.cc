// SPDX-License-Identifier: Apache-2.0
#include "scheduler/node_sampling.h"

#include <algorithm>
#include <map>
#include <utility>

namespace berth::scheduler {

using framework::NodeId;

size_t FeasibleNodesWanted(size_t nodes, int32_t percentage) {
  constexpr size_t kAlwaysFind = 100;
  if (nodes < kAlwaysFind || percentage >= 100) return nodes;
  if (percentage == 0) {
    constexpr int64_t kLeast = 5;
    percentage = static_cast<int32_t>(std::max(kLeast, 50 - static_cast<int64_t>(nodes) / 125));
  }
  return std::max(kAlwaysFind, nodes * static_cast<size_t>(percentage) / 100);
}

void NodeSampling::Narrow(framework::IndexedCluster& cluster, const std::optional<std::set<std::string>>& named,
                          std::vector<NodeId>& feasible) {
  const size_t wanted = FeasibleNodesWanted(named ? named->size() : cluster.node_count(), percentage_);
  Refresh(cluster);
  const Bitset found = [&] {
    Bitset set(cluster.node_slots());
    for (const NodeId node : feasible) set.Set(node);
    return set;
  }();
  const size_t nodes = order_.size();
  std::vector<NodeId> kept;
  size_t looked_at = 0;
  while (looked_at < nodes && kept.size() < wanted) {
    const NodeId node = order_[(next_ + looked_at) % nodes];
    if (found.Test(node)) kept.push_back(node);
    ++looked_at;
  }
  next_ = (next_ + looked_at) % nodes;
  std::ranges::sort(kept);
  feasible = std::move(kept);
}

void NodeSampling::Refresh(framework::IndexedCluster& cluster) {
  const auto& zones = cluster.topology("topology.kubernetes.io/zone").domain_of_node;
  const auto& regions = cluster.topology("topology.kubernetes.io/region").domain_of_node;
  if (live_ == cluster.live_nodes() && zones_ == zones && regions_ == regions) return;
  live_ = cluster.live_nodes();
  zones_ = zones;
  regions_ = regions;
  std::map<std::pair<int32_t, int32_t>, std::vector<NodeId>> nodes_of_zone;
  live_.ForEach([&](size_t id) { nodes_of_zone[{regions[id], zones[id]}].push_back(static_cast<NodeId>(id)); });
  order_.clear();
  for (size_t round = 0; order_.size() < cluster.node_count(); ++round) {
    for (const auto& [zone, nodes] : nodes_of_zone) {
      if (round < nodes.size()) order_.push_back(nodes[round]);
    }
  }
}

}  // namespace berth::scheduler
