// SPDX-License-Identifier: Apache-2.0
#include "indexed_filter.h"

#include "narrowing.h"

namespace coarse {

namespace {

constexpr size_t kMaxNodes = 200;

}  // namespace

berth::PreFilterResult IndexedFilter::PreFilter(berth::CycleState&, const berth::PodInfo& pod,
                                                berth::IndexedCluster& cluster) {
  const berth::api::Labels& selector = pod.spec().node_selector;
  if (selector.empty()) return {berth::Status::Skip(), {}};
  berth::Bitset left = cluster.live_nodes();
  for (const auto& [key, value] : selector) left.And(cluster.NodesMatching({key, "In", {value}}));
  return NarrowTo(left, cluster, kMaxNodes);
}

std::vector<berth::ClusterEventWithHint> IndexedFilter::EventsToRegister() const {
  return {{{berth::EventResource::Node, berth::kAdd | berth::kUpdateNodeLabel}, {}}};
}

}  // namespace coarse
