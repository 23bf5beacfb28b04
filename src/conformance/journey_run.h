// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/result.h"
#include "framework/registry.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::conformance {

// A step at which the two evaluations disagree.
struct JourneyDifference {
  size_t step = 0;
  std::string about;                // what the step did
  std::vector<std::string> fields;  // "field: expected …, actual …"
};

struct JourneyOutcome {
  size_t steps = 0;
  size_t decisions = 0;
  size_t hints = 0;
  std::optional<JourneyDifference> difference;  // a journey ends at the first one
  api::Value written;                           // as a line of journeys.jsonl, if requested
};

// Makes one random journey and judges every step twice: as Berth does, over a cluster that is changed in place, with
// columns, indexes and caches; and naively, over a cluster built from scratch for every question.
Result<JourneyOutcome> RunJourney(uint64_t seed, uint64_t number, const framework::Registry& registry, bool write);

}  // namespace berth::conformance
