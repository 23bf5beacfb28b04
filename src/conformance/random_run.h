// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/registry.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

namespace berth::conformance {

struct RandomOptions {
  uint64_t seed = 1;
  std::optional<uint64_t> journeys;  // how many at most
  std::optional<double> seconds;     // how long at most; ten when neither is given
  std::optional<uint64_t> journey;   // only this one
  std::string write_file;            // saves that one as a golden case, with what the naive way decides
};

struct RandomSummary {
  size_t journeys = 0;
  size_t steps = 0;
  size_t decisions = 0;
  size_t hints = 0;
  size_t differences = 0;
};

// Judges random journeys in two ways that must agree, see journey_run.h. Tells the first differences to `out` and how
// to see them again, or "N journeys, M steps, no difference"; tells `progress` now and then how far it is.
Result<RandomSummary> RunRandom(const RandomOptions& options, const framework::Registry& registry, std::ostream& out,
                                std::ostream& progress);

}  // namespace berth::conformance
