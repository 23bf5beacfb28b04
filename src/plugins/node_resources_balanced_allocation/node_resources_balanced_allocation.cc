// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation.h"

#include "base/short_array.h"
#include "framework/handle.h"
#include "plugins/node_resources/scored_resources.h"
#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation_args.h"

#include <algorithm>
#include <cmath>

namespace berth::plugins {
namespace {

using namespace framework;
using node_resources::kFewResources;
using node_resources::ResourceShare;
using node_resources::ScoredColumn;
using node_resources::ScoredResources;

struct BalancedState final : CloneableState<BalancedState> {
  static constexpr bool kEndsWithDecision = true;
  std::vector<int64_t> requests;
  void Clear() { requests.clear(); }
};
constexpr StateKey<BalancedState> kState{"NodeResourcesBalancedAllocation/PreScore"};

// How evenly a node's resources are taken, 50..100: 100 minus the standard deviation of the taken shares in percent.
int64_t Balance(std::span<const ResourceShare> shares, int64_t ResourceShare::*amount) {
  ShortArray<double, kFewResources> room(shares.size());
  size_t count = 0;
  double total = 0;
  for (const ResourceShare& share : shares) {
    if (share.allocatable == 0) continue;
    const double fraction = std::min(1.0, static_cast<double>(share.*amount) / static_cast<double>(share.allocatable));
    total += fraction;
    room[count++] = fraction;
  }
  const std::span<const double> fractions(room.data(), count);
  double deviation = 0;
  if (fractions.size() == 2) {
    deviation = std::abs((fractions[0] - fractions[1]) / 2);
  } else if (fractions.size() > 2) {
    const double mean = total / static_cast<double>(fractions.size());
    double sum = 0;
    for (const double fraction : fractions) sum = sum + (fraction - mean) * (fraction - mean);
    deviation = std::sqrt(sum / static_cast<double>(fractions.size()));
  }
  return static_cast<int64_t>((1 - deviation) * static_cast<double>(kMaxNodeScore));
}

class NodeResourcesBalancedAllocation final : public PreScorePlugin, public ScorePlugin, public ScoreAllPlugin {
 public:
  using Args = NodeResourcesBalancedAllocationArgs;

  NodeResourcesBalancedAllocation(const Args& args, Handle& handle)
      : resources_(args.resources, /*real_requests=*/true, handle.resource_names()) {}

  Status PreScore(CycleState& state, const PodInfo& pod, IndexedCluster&, std::span<const NodeId>) override {
    std::vector<int64_t>& requests = state.Write(kState).requests;
    resources_.FindRequests(pod, requests);
    // A pod that asks for nothing would always go to the same, most uneven node.
    const bool asks = std::any_of(requests.begin(), requests.end(), [](int64_t request) { return request != 0; });
    return asks ? Status::Success() : Status::Skip();
  }

  Result<int64_t> Score(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    ShortArray<ResourceShare, kFewResources> shares(resources_.size());
    resources_.SharesOf(node, state.Read(kState)->requests, shares);
    const int64_t with_pod = Balance(shares, &ResourceShare::requested);
    const int64_t without_pod = Balance(shares, &ResourceShare::taken);
    return kMaxNodeScore / 2 + (kMaxNodeScore / 2 + with_pod - without_pod) / 2;
  }

  Status ScoreAll(const CycleState& state, const PodInfo& pod, const ClusterView& cluster,
                  ScoreColumn& scores) const override {
    ShortArray<ScoredColumn, kFewResources> room(resources_.size());
    const std::span<const ScoredColumn> columns = resources_.ColumnsOf(cluster, state.Read(kState)->requests, room);
    const std::span<int64_t> values = scores.FreshValues();
    if (columns.size() == 2 && node_resources::BalancedPair(columns[0], columns[1], values.size(), values.data())) {
      return Status::Success();
    }
    for (const NodeId node : scores.feasible()) values[node] = *Score(state, pod, cluster.node(node));
    return Status::Success();
  }

 private:
  ScoredResources resources_;
};

}  // namespace

PluginEntry NodeResourcesBalancedAllocationEntry() {
  return Entry<NodeResourcesBalancedAllocation>(kNodeResourcesBalancedAllocation);
}

}  // namespace berth::plugins
