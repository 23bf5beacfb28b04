// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/node_resources/resource_args.h"

#include <cstdint>
#include <vector>

namespace berth::plugins::node_resources {

// The function that users draw with points: linear between them, level outside of them. Immutable.
class UtilizationShape {
 public:
  explicit UtilizationShape(std::vector<UtilizationShapePoint> points);

  // From percent to 0..100. There must be a point.
  int64_t ScoreAt(int64_t utilization) const;

 private:
  std::vector<UtilizationShapePoint> points_;  // scores scaled to 0..100
};

}  // namespace berth::plugins::node_resources
