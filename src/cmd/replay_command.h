// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cmd/streams.h"
#include "framework/registry.h"
#include "simulator/record/replay.h"
#include "simulator/record/run_record.h"

#include <functional>
#include <string>

namespace berth::cmd {

struct ReplayOptions {
  std::string file;
};

// `berth replay`: is everything decided as recorded? 0 when it is, 3 with the first difference when not, 1 when the
// file is not a record or cannot be replayed.
int RunReplay(const ReplayOptions& options, const framework::Registry& registry, const Streams& streams);

// A record that was read and replayed.
struct Replayed {
  simulator::RunRecord record;
  simulator::ReplayOutcome outcome;
};
// `listener` is called for every decision made as recorded. Warnings about the record go to `err`.
Result<Replayed> ReplayFile(const std::string& file, const framework::Registry& registry, bool with_scores,
                            const std::function<void(const scheduler::DecisionRecord&)>& listener, std::ostream& err);

}  // namespace berth::cmd
