// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.h>

#include <cstddef>
#include <utility>

namespace coarse {

// Tells PreFilter's caller which nodes are left. Many names cost more than they save: then it says nothing, and the
// filters that follow look at every node.
inline berth::PreFilterResult NarrowTo(const berth::Bitset& nodes, const berth::ClusterView& cluster, size_t most) {
  berth::PreFilterResult result;
  if (nodes.Count() > most) return result;
  result.node_names.emplace();
  nodes.ForEach([&](size_t node) { result.node_names->insert(cluster.node(static_cast<berth::NodeId>(node)).name()); });
  return result;
}

}  // namespace coarse
