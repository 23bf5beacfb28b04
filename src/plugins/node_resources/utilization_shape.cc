// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources/utilization_shape.h"

#include <utility>

namespace berth::plugins::node_resources {
namespace {

// Shapes are drawn with scores up to 10.
constexpr int32_t kScale = 10;

}  // namespace

UtilizationShape::UtilizationShape(std::vector<UtilizationShapePoint> points) : points_(std::move(points)) {
  for (UtilizationShapePoint& point : points_) point.score *= kScale;
}

int64_t UtilizationShape::ScoreAt(int64_t utilization) const {
  for (size_t i = 0; i < points_.size(); ++i) {
    if (utilization > points_[i].utilization) continue;
    if (i == 0) return points_[0].score;
    const UtilizationShapePoint& from = points_[i - 1];
    const UtilizationShapePoint& to = points_[i];
    return from.score + static_cast<int64_t>(to.score - from.score) * (utilization - from.utilization) /
                            (to.utilization - from.utilization);
  }
  return points_.back().score;
}

}  // namespace berth::plugins::node_resources
