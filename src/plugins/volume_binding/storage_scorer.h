// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/score_column.h"
#include "plugins/node_resources/utilization_shape.h"
#include "plugins/volume_binding/find_volumes.h"
#include "plugins/volume_binding/find_volumes_everywhere.h"

#include <cstdint>
#include <span>
#include <vector>

namespace berth::plugins {

// What a pod's claims ask of a storage class on a node, and what the class has there.
struct StorageShare {
  int64_t requested = 0;
  int64_t capacity = 0;
};

// Scores nodes by how much of the storage found there a pod would use: of each storage class on its own, and then
// their average. What counts are the existing volumes that the claims would be bound to; where there is none, the room
// for those to be made. Immutable.
class StorageScorer {
 public:
  explicit StorageScorer(std::vector<node_resources::UtilizationShapePoint> shape) : shape_(std::move(shape)) {}

  // Of a node with these shares, one per storage class; 0..100.
  int64_t Score(std::span<const StorageShare> shares) const;
  int64_t Score(const FoundVolumes& found) const;
  // The same for every feasible node.
  void ScoreAll(const FoundEverywhere& found, framework::ScoreColumn& scores) const;

 private:
  int64_t ShareScore(const StorageShare& share) const;

  node_resources::UtilizationShape shape_;
};

}  // namespace berth::plugins
