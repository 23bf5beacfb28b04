// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources_fit/scoring_strategy.h"

#include "base/short_array.h"
#include "plugins/node_resources/kernels.h"

#include <algorithm>
#include <cmath>

namespace berth::plugins {

using framework::kMaxNodeScore;
using framework::NodeId;
using node_resources::kFewResources;
using node_resources::ResourceShare;
using node_resources::ScoredColumn;

ScoringStrategy::ScoringStrategy(const ScoringStrategyArgs& args, framework::ResourceNames& names)
    : kind_(args.type == "MostAllocated"              ? Kind::MostAllocated
            : args.type == "RequestedToCapacityRatio" ? Kind::RequestedToCapacityRatio
                                                      : Kind::LeastAllocated),
      resources_(args.resources, /*real_requests=*/false, names),
      shape_(args.shape.value_or(std::vector<node_resources::UtilizationShapePoint>())) {}

int64_t ScoringStrategy::Score(const framework::NodeInfo& node, std::span<const int64_t> requests) const {
  ShortArray<ResourceShare, kFewResources> shares(resources_.size());
  resources_.SharesOf(node, requests, shares);
  int64_t sum = 0;
  int64_t weights = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].allocatable == 0) continue;
    const int64_t score = ShareScore(shares[i]);
    // In a drawn shape, zero means that the resource has nothing to say.
    if (kind_ == Kind::RequestedToCapacityRatio && score <= 0) continue;
    sum += score * resources_.weight(i);
    weights += resources_.weight(i);
  }
  if (weights == 0) return 0;
  if (kind_ != Kind::RequestedToCapacityRatio) return sum / weights;
  return static_cast<int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(weights)));
}

void ScoringStrategy::ScoreAll(const framework::ClusterView& cluster, std::span<const int64_t> requests,
                               framework::ScoreColumn& scores) const {
  const std::span<int64_t> values = scores.FreshValues();
  if (kind_ != Kind::RequestedToCapacityRatio) {
    ShortArray<ScoredColumn, kFewResources> room(resources_.size());
    const std::span<const ScoredColumn> columns = resources_.ColumnsOf(cluster, requests, room);
    const bool exact = kind_ == Kind::LeastAllocated
                           ? node_resources::LeastAllocated(columns, values.size(), values.data())
                           : node_resources::MostAllocated(columns, values.size(), values.data());
    if (exact) return;
  }
  for (const NodeId node : scores.feasible()) values[node] = Score(cluster.node(node), requests);
}

int64_t ScoringStrategy::ShareScore(const ResourceShare& share) const {
  const int64_t capacity = share.allocatable;
  const int64_t requested = share.requested;
  switch (kind_) {
    case Kind::LeastAllocated: return requested > capacity ? 0 : (capacity - requested) * kMaxNodeScore / capacity;
    case Kind::MostAllocated: return std::min(requested, capacity) * kMaxNodeScore / capacity;
    case Kind::RequestedToCapacityRatio: return shape_.ScoreAt(requested > capacity ? 100 : requested * 100 / capacity);
  }
  return 0;
}

}  // namespace berth::plugins
