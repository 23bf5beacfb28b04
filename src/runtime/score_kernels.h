// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/node_info.h"

#include <cstddef>
#include <cstdint>
#include <span>

// The passes over all feasible nodes that every scored cycle makes.
namespace berth::runtime {

// totals[i] += weight * scores of node i. Says whether all scores lie in [0, 100]; `scores` is by NodeId.
bool AddWeighted(std::span<const int64_t> scores, std::span<const framework::NodeId> feasible, int32_t weight,
                 std::span<int64_t> totals);

struct Best {
  int64_t total = 0;
  size_t count = 0;  // how many nodes have it
};
// `totals` must not be empty.
Best FindBest(std::span<const int64_t> totals);

}  // namespace berth::runtime
