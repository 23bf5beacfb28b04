// SPDX-License-Identifier: Apache-2.0
#include "runtime/score_kernels.h"

#include "base/kernel.h"

#include <algorithm>

namespace berth::runtime {

BERTH_KERNEL
bool AddWeighted(std::span<const int64_t> scores, std::span<const framework::NodeId> feasible, int32_t weight,
                 std::span<int64_t> totals) {
  const size_t count = feasible.size();
  const int64_t* __restrict values = scores.data();
  int64_t* __restrict sums = totals.data();
  uint64_t bad = 0;  // a negative score is huge as an unsigned number
  if (count == scores.size()) {
    // Every slot is feasible: node i is at place i.
    for (size_t i = 0; i < count; ++i) {
      bad |= static_cast<uint64_t>(values[i]) > 100 ? 1 : 0;
      sums[i] += int64_t{static_cast<int32_t>(values[i])} * weight;
    }
  } else {
    const framework::NodeId* __restrict nodes = feasible.data();
    for (size_t i = 0; i < count; ++i) {
      const int64_t score = values[nodes[i]];
      bad |= static_cast<uint64_t>(score) > 100 ? 1 : 0;
      sums[i] += int64_t{static_cast<int32_t>(score)} * weight;
    }
  }
  return bad == 0;
}

BERTH_KERNEL
Best FindBest(std::span<const int64_t> totals) {
  const int64_t* __restrict values = totals.data();
  int64_t best = values[0];
  for (size_t i = 1; i < totals.size(); ++i) best = values[i] > best ? values[i] : best;
  int64_t count = 0;
  for (size_t i = 0; i < totals.size(); ++i) count += values[i] == best ? 1 : 0;
  return {best, static_cast<size_t>(count)};
}

}  // namespace berth::runtime
