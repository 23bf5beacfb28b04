// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "scheduler/decision_log.h"
#include "simulator/record/run_record.h"
#include "simulator/report_text.h"
#include "text/style.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::simulator {

// The history of one pod in a record: what was done to it, and every attempt to schedule it.
struct PodPast {
  struct Change {
    Duration at{};
    std::string what;  // "arrived", "running", "succeeded", "changed", "deleted"
  };
  std::string pod;  // namespace/name
  Timestamp start;  // of the run
  std::vector<Change> changes;
  std::vector<scheduler::DecisionRecord> attempts;

  bool is_placed() const {
    return !attempts.empty() && attempts.back().outcome == scheduler::Decision::Outcome::Placed;
  }
};

// The changes that the inputs of a record made to the pod; replaying fills in its attempts.
PodPast PastOf(const RunRecord& record, const std::string& pod);

// One pod's history in chronological order. With `attempt`, only that attempt, in full detail.
std::string PodPastText(const PodPast& past, std::optional<int> attempt, const text::Style& style);
// {apiVersion: berth/v1alpha1, kind: PodPast, …}; docs/cli.md describes the fields.
api::Value PodPastDocument(const PodPast& past, std::optional<int> attempt);

}  // namespace berth::simulator
