// SPDX-License-Identifier: Apache-2.0
#include "cmd/replay_command.h"

#include "api/document.h"
#include "cmd/scheduler_setup.h"
#include "text/layout.h"

#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {

using simulator::ReplayDifference;
using simulator::ReplayOutcome;
using simulator::RunRecord;

namespace {

// The scheduler that a record describes.
Result<simulator::SchedulerSetup> SetupOf(const RunRecord& record, const std::string& file,
                                          const framework::Registry& registry) {
  auto outcome =
      config::LoadAndPlan(api::ToJson(record.header.config), file + ": config", registry, record.header.features);
  if (const auto* problem = std::get_if<config::ConfigProblem>(&outcome)) {
    return InvalidError(
        fmt::format("the configuration in {} cannot be used\n{}", file, fmt::join(problem->messages, "\n")));
  }
  return SetupFor(std::get<config::PlannedConfiguration>(std::move(outcome)), record.header.seed);
}

}  // namespace

Result<Replayed> ReplayFile(const std::string& file, const framework::Registry& registry, bool with_scores,
                            const std::function<void(const scheduler::DecisionRecord&)>& listener, std::ostream& err) {
  BERTH_ASSIGN_OR_RETURN(RunRecord record, simulator::ReadRecordFile(file));
  if (record.header.berth != BERTH_VERSION) {
    err << fmt::format("berth: note: {} was written by berth {}; this is {}\n", file, record.header.berth,
                       BERTH_VERSION);
  }
  if (!record.damage.empty()) {
    err << fmt::format("berth: warning: {}: {}; what comes before is replayed\n", file, record.damage);
  }
  BERTH_ASSIGN_OR_RETURN(simulator::SchedulerSetup setup, SetupOf(record, file, registry));
  setup.record_scores = with_scores;
  BERTH_ASSIGN_OR_RETURN(ReplayOutcome outcome, simulator::Replay(record, setup, listener));
  return Replayed{std::move(record), std::move(outcome)};
}

int RunReplay(const ReplayOptions& options, const framework::Registry& registry, const Streams& streams) {
  const Result<Replayed> replayed = ReplayFile(options.file, registry, /*with_scores=*/false, {}, *streams.err);
  if (!replayed) {
    *streams.err << "berth: " << replayed.error().message << '\n';
    return kExitFailed;
  }
  const std::optional<ReplayDifference>& difference = replayed->outcome.difference;
  const std::string count = text::Counted(replayed->outcome.decisions, "decision");
  if (!difference) {
    const bool whole = replayed->record.damage.empty();
    *streams.out << fmt::format("{}, all as recorded{}\n", count, whole ? "" : "; the record is not whole");
    return kExitOk;
  }
  *streams.out << fmt::format("{} as recorded, then decision {} differs\n  recorded: {}\n  now:      {}\n", count,
                              difference->number,
                              difference->recorded.empty() ? "(no further decision)" : difference->recorded,
                              difference->repeated.empty() ? "(no further decision)" : difference->repeated);
  return kExitNo;
}

}  // namespace berth::cmd
