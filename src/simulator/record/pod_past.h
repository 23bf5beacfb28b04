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

// What a record tells about one pod: what was done to it, and every attempt to schedule it.
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

// The changes that the inputs of a record made to the pod; its attempts are still to be filled in by replaying.
PodPast PastOf(const RunRecord& record, const std::string& pod);

// One pod's story in order of time. With `attempt`, only that attempt and all there is to know about it.
std::string PodPastText(const PodPast& past, std::optional<int> attempt, const text::Style& style);
// {apiVersion: berth/v1alpha1, kind: PodPast, …}; docs/cli.md describes the fields.
api::Value PodPastDocument(const PodPast& past, std::optional<int> attempt);

}  // namespace berth::simulator
