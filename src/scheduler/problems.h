// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "home/home.h"
#include "log/logger.h"
#include "log/repeated_problems.h"
#include "scheduler/commands.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::metrics {
class SchedulerMetrics;
}

namespace berth::scheduler {

// Problems outside of scheduling decisions.
enum class ProblemKind : uint8_t {
  UnreadableObject,  // an object of the home cannot be decoded
  FeedInterrupted,   // a list or a watch failed
  CommandRefused,    // invalid or forbidden; not retried
  CommandGivenUp,    // failed too often
  EventDropped,      // too many events are waiting to be written
  Lease,             // the lease could not be acquired or renewed
};
inline constexpr size_t kProblemKinds = 6;
// The name in metrics, such as "unreadable_object".
std::string_view NameOf(ProblemKind kind);

struct KnownProblem {
  ProblemKind kind = ProblemKind::UnreadableObject;
  std::string text;    // as logged
  uint64_t count = 0;  // of reports
};

// Everything that the scheduler failed to do and users should know about: each distinct problem is logged, ever more
// rarely while it lasts; all are counted, and the recent ones are kept for the status. Any thread.
class Problems {
 public:
  // `metrics` may be null; it outlives this.
  Problems(log::Logger log, metrics::SchedulerMetrics* metrics);

  // `key` identifies the problem within its kind; `message` and `fields` are logged.
  void Report(ProblemKind kind, std::string_view key, std::string_view message, log::Fields fields);
  // The problem is solved: it is logged again when it returns.
  bool Solved(ProblemKind kind, std::string_view key);

  void Take(const home::FeedProblem& problem);
  // Reports commands that were refused or given up. Conflict and Gone are no problems.
  void Take(const Commands::Ending& ending);

  std::vector<KnownProblem> Known() const;  // most recent first
  uint64_t count(ProblemKind kind) const { return counts_[static_cast<size_t>(kind)]; }

 private:
  const log::Logger log_;
  metrics::SchedulerMetrics* const metrics_;
  log::RepeatedProblems problems_;
  std::array<std::atomic<uint64_t>, kProblemKinds> counts_ = {};
};

}  // namespace berth::scheduler
