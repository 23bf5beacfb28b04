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

// What can go wrong around the decisions.
enum class ProblemKind : uint8_t {
  UnreadableObject,  // its home has an object that cannot be read
  FeedInterrupted,   // a list or a watch failed
  CommandRefused,    // invalid or forbidden: will never be done
  CommandGivenUp,    // was tried in vain too often
  EventDropped,      // too many events wait to be written
  Lease,             // the lease could not be taken or renewed
};
inline constexpr size_t kProblemKinds = 6;
// As metrics name it: "unreadable_object".
std::string_view NameOf(ProblemKind kind);

// One thing that is, or was, wrong.
struct KnownProblem {
  ProblemKind kind = ProblemKind::UnreadableObject;
  std::string text;    // what was logged
  uint64_t count = 0;  // how often it came
};

// Whatever the scheduler cannot do and users should hear of: each distinct problem is logged once, every one is
// counted, and the latest can be asked for. Any thread.
class Problems {
 public:
  // `metrics` may be null; it outlives this.
  Problems(log::Logger log, metrics::SchedulerMetrics* metrics);

  // `key` tells the problems of a kind apart; `message` and `fields` are for the log.
  void Report(ProblemKind kind, std::string_view key, std::string_view message, log::Fields fields);
  // It is over: when it comes again, it is news.
  void Solved(ProblemKind kind, std::string_view key);

  void Take(const home::FeedProblem& problem);
  // Reports endings that nobody wanted. What another decided meanwhile (Conflict, Gone) is no problem.
  void Take(const Commands::Ending& ending);

  std::vector<KnownProblem> Known() const;  // the most recent first
  uint64_t count(ProblemKind kind) const { return counts_[static_cast<size_t>(kind)]; }

 private:
  const log::Logger log_;
  metrics::SchedulerMetrics* const metrics_;
  log::RepeatedProblems problems_;
  std::array<std::atomic<uint64_t>, kProblemKinds> counts_ = {};
};

}  // namespace berth::scheduler
