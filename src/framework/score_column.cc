// SPDX-License-Identifier: Apache-2.0
#include "framework/score_column.h"

#include <algorithm>
#include <limits>

namespace berth::framework {

void ScoreColumn::Reset(size_t slots, std::span<const NodeId> feasible) {
  slots_ = slots;
  feasible_ = feasible;
  SetAll(0);
}

void ScoreColumn::SetAll(int64_t value) {
  uniform_ = true;
  value_ = value;
}

std::span<int64_t> ScoreColumn::MutableValues() {
  if (uniform_) {
    values_.assign(slots_, value_);
    uniform_ = false;
  }
  return values_;
}

std::span<int64_t> ScoreColumn::FreshValues() {
  values_.resize(slots_);
  uniform_ = false;
  return values_;
}

ScoreRange RangeOf(ScoreColumn& scores) {
  if (scores.is_uniform()) return {scores.uniform_value(), scores.uniform_value()};
  const std::span<const int64_t> values = scores.MutableValues();
  ScoreRange range{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  const auto include = [&](int64_t score) {
    range.lowest = std::min(range.lowest, score);
    range.highest = std::max(range.highest, score);
  };
  if (scores.feasible().size() == values.size()) {
    for (const int64_t score : values) include(score);
  } else {
    for (const NodeId node : scores.feasible()) include(values[node]);
  }
  return range;
}

void DefaultNormalize(ScoreColumn& scores, bool reverse) {
  int64_t max = 0;
  if (scores.is_uniform()) {
    max = std::max<int64_t>(0, scores.uniform_value());
  } else {
    for (const NodeId node : scores.feasible()) max = std::max(max, scores.Get(node));
  }
  if (max == 0) {
    if (reverse) scores.SetAll(kMaxNodeScore);
    return;
  }
  const auto normal = [&](int64_t score) {
    const int64_t scaled = kMaxNodeScore * score / max;
    return reverse ? kMaxNodeScore - scaled : scaled;
  };
  if (scores.is_uniform()) {
    scores.SetAll(normal(scores.uniform_value()));
    return;
  }
  const std::span<int64_t> values = scores.MutableValues();
  for (const NodeId node : scores.feasible()) values[node] = normal(values[node]);
}

}  // namespace berth::framework
