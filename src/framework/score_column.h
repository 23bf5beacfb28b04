// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/node_info.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace berth::framework {

inline constexpr int64_t kMaxNodeScore = 100;
inline constexpr int64_t kMinNodeScore = 0;

// One plugin's scores over the feasible nodes. Very often all are equal (nobody prefers anything): then one number
// stands for all and no pass over the nodes is made.
class ScoreColumn {
 public:
  // Starts as zero everywhere. `slots` is ClusterView::node_slots(); `feasible` lists node ids in ascending order and
  // must outlive the column's use.
  void Reset(size_t slots, std::span<const NodeId> feasible);

  std::span<const NodeId> feasible() const { return feasible_; }
  bool is_uniform() const { return uniform_; }
  int64_t uniform_value() const { return value_; }
  void SetAll(int64_t value);
  // The scores by NodeId, for reading and writing; entries of nodes that are not feasible mean nothing.
  std::span<int64_t> MutableValues();
  // The same for a plugin that writes the score of every feasible node: what was there before is not kept.
  std::span<int64_t> FreshValues();
  int64_t Get(NodeId node) const { return uniform_ ? value_ : values_[node]; }

 private:
  std::vector<int64_t> values_;
  std::span<const NodeId> feasible_;
  size_t slots_ = 0;
  int64_t value_ = 0;
  bool uniform_ = true;
};

// The lowest and the highest score of a feasible node; there must be one.
struct ScoreRange {
  int64_t lowest;
  int64_t highest;
};
ScoreRange RangeOf(ScoreColumn& scores);

// Replaces each feasible node's score s by f(s). Few scores are distinct, so what f said lately is remembered: f must
// depend on the score alone.
template <typename F>
void TransformScores(ScoreColumn& scores, F&& f) {
  if (scores.is_uniform()) {
    scores.SetAll(f(scores.uniform_value()));
    return;
  }
  struct Remembered {
    int64_t score;
    int64_t result;
  };
  constexpr size_t kRemembered = 64;
  std::array<Remembered, kRemembered> remembered;
  remembered.fill({0, f(0)});
  const auto transform = [&](int64_t& value) {
    Remembered& slot = remembered[static_cast<uint64_t>(value) % kRemembered];
    if (slot.score != value) slot = {value, f(value)};
    value = slot.result;
  };
  const std::span<int64_t> values = scores.MutableValues();
  if (scores.feasible().size() == values.size()) {
    for (int64_t& value : values) transform(value);
  } else {
    for (const NodeId node : scores.feasible()) transform(values[node]);
  }
}

// The framework's common normalisation: scales so that the highest score becomes 100, reversed if asked. When every
// score is zero they stay zero, or all become 100 when reversed.
void DefaultNormalize(ScoreColumn& scores, bool reverse);

}  // namespace berth::framework
