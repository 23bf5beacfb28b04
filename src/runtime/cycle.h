// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/node_info.h"
#include "framework/score_column.h"
#include "framework/verdicts.h"
#include "runtime/plain_form.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace berth::runtime {

// Which of a profile's plugins sit a step out.
using SkipSet = std::vector<bool>;

// Remembers, inside the state that plugins carry around and clone, which Filters are skipped: preemption runs filters
// on clones long after the cycle that made them moved on.
struct SkippedFilters final : framework::CloneableState<SkippedFilters> {
  SkipSet by_plugin;
  void Clear() { by_plugin.clear(); }
};
inline constexpr framework::StateKey<SkippedFilters> kSkippedFilters{"runtime/SkippedFilters"};

// Marks the state of a cycle whose plugins are timed, for the steps that are handed the state alone.
struct TimedCycle final : framework::CloneableState<TimedCycle> {
  void Clear() {}
};
inline constexpr framework::StateKey<TimedCycle> kTimedCycle{"runtime/TimedCycle"};

// What PreBindPreFlight found out about the PreBind plugins, by plugin.
struct PreBindPlan {
  SkipSet skipped;        // has nothing to do
  SkipSet parallel;       // may run beside its neighbours
  bool has_work = false;  // any of them
};

// What one plugin said about the feasible nodes; both lists follow Cycle::feasible.
struct PluginScores {
  std::string plugin;
  int32_t weight = 1;
  std::vector<int64_t> raw;
  std::vector<int64_t> weighted;  // normalised and multiplied by the weight
};

// One scheduling cycle of one pod: what its steps have found so far. Reused for the next pod, so that a cycle that
// needs no more memory than an earlier one allocates nothing.
struct Cycle {
  framework::CycleState state;
  uint64_t number = 0;  // how many pods it has served, this one included

  // PreFilter
  std::optional<std::set<std::string>> narrowed_to;  // the only nodes worth filtering, when plugins know them
  std::set<std::string> narrowing_plugins;

  // Filter
  framework::Verdicts verdicts;
  std::vector<framework::NodeId> feasible;  // ascending
  PlainVerdicts plain;

  // Score
  SkipSet skipped_scores;
  std::vector<int64_t> totals;  // parallel to feasible
  framework::ScoreColumn column;

  void Reset() {
    state.Reset();
    narrowed_to.reset();
    narrowing_plugins.clear();
    feasible.clear();
    totals.clear();
    skipped_scores.clear();
    ++number;
  }
  // Whether the metrics are told how long each plugin takes: in every tenth cycle, the first among them.
  bool timed() const { return number % 10 == 1; }
};

}  // namespace berth::runtime
