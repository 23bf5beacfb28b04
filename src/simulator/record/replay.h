// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "simulator/record/run_record.h"
#include "simulator/run/virtual_scheduler.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace berth::simulator {

// Where a replay diverged from the record.
struct ReplayDifference {
  uint64_t number = 0;   // of the decision, from 1
  std::string recorded;  // empty: the record has no further decision
  std::string repeated;  // empty: the replay made no further decision
};

struct ReplayOutcome {
  uint64_t decisions = 0;  // that were made as recorded
  std::optional<ReplayDifference> difference;
};

// Repeats a recorded run with the same inputs at the same times, and compares decision by decision until one differs.
// `setup` has the record's configuration and seed. `listener` may be empty; it is called for every matching decision.
Result<ReplayOutcome> Replay(const RunRecord& record, const SchedulerSetup& setup,
                             const std::function<void(const scheduler::DecisionRecord&)>& listener);

}  // namespace berth::simulator
