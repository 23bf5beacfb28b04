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
  std::optional<uint64_t> journeys;  // maximum number
  std::optional<double> seconds;     // maximum time; ten when neither is given
  std::optional<uint64_t> journey;   // run only this one
  std::string write_file;            // save that one as a golden case, with the naive evaluation's decisions
};

struct RandomSummary {
  size_t journeys = 0;
  size_t steps = 0;
  size_t decisions = 0;
  size_t hints = 0;
  size_t differences = 0;
};

// Judges random journeys in two ways that must agree, see journey_run.h. Prints to `out` the first differences, how to
// reproduce them, and a summary line such as "N journeys, M steps, no difference"; prints to `progress` now and then.
Result<RandomSummary> RunRandom(const RandomOptions& options, const framework::Registry& registry, std::ostream& out,
                                std::ostream& progress);

}  // namespace berth::conformance
