// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/score_rules.h"

#include "framework/node_scan.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace berth::plugin_check {

using framework::CycleState;
using framework::kMaxNodeScore;
using framework::kMinNodeScore;
using framework::NodeId;
using framework::PodInfo;
using framework::ScoreColumn;
using framework::Status;

void ScoreRules::Check(const PodInfo& pod, const Bitset& feasible, PodAnswer& answer) {
  framework::ListNodes(feasible, feasible_);
  if (!plugin_.at_score || feasible_.size() < 2) return;
  const std::optional<CycleState> state = PreScored(pod);
  if (!state) return;
  std::optional<ScoreColumn> plain = Plain(*state, pod, /*backwards=*/false);
  if (plain) {
    for (const NodeId id : feasible_) Include(report_.raw_scores, plain->Get(id));
    // As if the question had come for the first time.
    const std::optional<CycleState> fresh = PreScored(pod);
    if (!fresh) {
      report_.Note(kSameAnswer, fmt::format("PreScore of pod {}: Success, then not", pod->meta.Key()));
      return;
    }
    if (const std::optional<ScoreColumn> again = Plain(*fresh, pod, /*backwards=*/true)) {
      Compare(kSameAnswer, "first and second score", pod, *plain, *again);
    }
  }
  std::optional<ScoreColumn> columnar;
  if (plugin_.instance.score_all != nullptr) {
    columnar = Columnar(*state, pod);
    if (plain.has_value() != columnar.has_value()) {
      report_.Note(kScoresAgree, fmt::format("pod {}: only one of Score and ScoreAll fails", pod->meta.Key()));
    }
  }
  if (!plain) return;
  if (columnar) Compare(kScoresAgree, "Score and ScoreAll", pod, *plain, *columnar);
  if (!Normalize(*state, pod, *plain)) return;
  if (columnar && Normalize(*state, pod, *columnar)) {
    Compare(kScoresAgree, "Score and ScoreAll, normalised,", pod, *plain, *columnar);
  }
  Describe(pod, *plain, answer);
}

std::optional<CycleState> ScoreRules::PreScored(const PodInfo& pod) {
  PreparedPod prepared = Prepare(plugin_, pod, cluster_);
  if (!plugin_.at_pre_score) return std::move(prepared.state);
  const Status status = plugin_.instance.pre_score->PreScore(prepared.state, pod, cluster_, feasible_);
  if (status.ok()) return std::move(prepared.state);
  if (!status.is_skip()) {
    report_.Note(kNothingFails, fmt::format("PreScore of pod {}: {}", pod->meta.Key(), StatusText(status)));
  }
  return std::nullopt;
}

std::optional<ScoreColumn> ScoreRules::Plain(const CycleState& state, const PodInfo& pod, bool backwards) {
  ScoreColumn scores;
  scores.Reset(cluster_.node_slots(), feasible_);
  const std::span<int64_t> values = scores.MutableValues();
  for (size_t i = 0; i < feasible_.size(); ++i) {
    const NodeId id = feasible_[backwards ? feasible_.size() - 1 - i : i];
    const Result<int64_t> score = plugin_.instance.score->Score(state, pod, cluster_.node(id));
    if (!score) {
      report_.Note(kNothingFails, fmt::format("Score of pod {} and node {}: {}", pod->meta.Key(),
                                              cluster_.node(id).name(), score.error().message));
      return std::nullopt;
    }
    values[id] = *score;
  }
  return scores;
}

std::optional<ScoreColumn> ScoreRules::Columnar(const CycleState& state, const PodInfo& pod) {
  ScoreColumn scores;
  scores.Reset(cluster_.node_slots(), feasible_);
  const Status status = plugin_.instance.score_all->ScoreAll(state, pod, cluster_, scores);
  if (status.ok()) return scores;
  report_.Note(kNothingFails, fmt::format("ScoreAll of pod {}: {}", pod->meta.Key(), StatusText(status)));
  return std::nullopt;
}

void ScoreRules::Compare(std::string_view rule, std::string_view what, const PodInfo& pod, const ScoreColumn& one,
                         const ScoreColumn& other) {
  for (const NodeId id : feasible_) {
    if (one.Get(id) == other.Get(id)) continue;
    report_.Note(rule, fmt::format("{} of pod {} and node {}: {} and {}", what, pod->meta.Key(),
                                   cluster_.node(id).name(), one.Get(id), other.Get(id)));
  }
}

bool ScoreRules::Normalize(const CycleState& state, const PodInfo& pod, ScoreColumn& scores) {
  if (plugin_.instance.normalize_score == nullptr) return true;
  const Status status = plugin_.instance.normalize_score->NormalizeScore(state, pod, scores);
  if (status.ok()) return true;
  report_.Note(kNothingFails, fmt::format("NormalizeScore of pod {}: {}", pod->meta.Key(), StatusText(status)));
  return false;
}

void ScoreRules::Describe(const PodInfo& pod, const ScoreColumn& scores, PodAnswer& answer) {
  for (const NodeId id : feasible_) {
    const int64_t score = scores.Get(id);
    if (!answer.scores || score > answer.scores->highest) answer.best_node = cluster_.node(id).name();
    Include(answer.scores, score);
    Include(report_.scores, score);
    if (score >= kMinNodeScore && score <= kMaxNodeScore) continue;
    report_.Note(kScoresInRange,
                 fmt::format("{} for pod {} on node {}", score, pod->meta.Key(), cluster_.node(id).name()));
  }
}

}  // namespace berth::plugin_check
