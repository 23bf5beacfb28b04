// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/score_column.h"
#include "plugins/node_resources/scored_resources.h"
#include "plugins/node_resources/utilization_shape.h"
#include "plugins/node_resources_fit/node_resources_fit_args.h"

#include <cstdint>
#include <span>

namespace berth::plugins {

// How the shares of a node's resources become its score: LeastAllocated spreads, MostAllocated packs,
// RequestedToCapacityRatio follows a shape the user draws. Immutable.
class ScoringStrategy {
 public:
  ScoringStrategy(const ScoringStrategyArgs& args, framework::ResourceNames& names);

  const node_resources::ScoredResources& resources() const { return resources_; }
  int64_t Score(const framework::NodeInfo& node, std::span<const int64_t> requests) const;
  void ScoreAll(const framework::ClusterView& cluster, std::span<const int64_t> requests,
                framework::ScoreColumn& scores) const;

 private:
  enum class Kind : uint8_t { LeastAllocated, MostAllocated, RequestedToCapacityRatio };

  // The score of one resource, 0..100.
  int64_t ShareScore(const node_resources::ResourceShare& share) const;

  Kind kind_;
  node_resources::ScoredResources resources_;
  node_resources::UtilizationShape shape_;  // for RequestedToCapacityRatio
};

}  // namespace berth::plugins
