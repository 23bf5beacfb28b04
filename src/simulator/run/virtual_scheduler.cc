// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/virtual_scheduler.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace berth::simulator {
namespace {

// Time advances by at least this much, even if the scheduler's deadline has already passed.
constexpr Duration kShortestJump = std::chrono::milliseconds(1);
// A pod is retried after five minutes at most, plus possibly a backoff.
constexpr Duration kLongestRest = std::chrono::seconds(330);
// After that, a pod may wait at Permit this long before it releases its node.
constexpr Duration kLongestPermit = std::chrono::minutes(15);
constexpr size_t kRememberedDecisions = 16;  // the sink receives every decision

scheduler::SchedulerOptions OptionsFor(const SchedulerSetup& setup) {
  scheduler::SchedulerOptions options;
  options.engine.queue.initial_backoff = std::chrono::seconds(setup.config.pod_initial_backoff_seconds);
  options.engine.queue.max_backoff = std::chrono::seconds(setup.config.pod_max_backoff_seconds);
  options.engine.seed = setup.seed;
  options.engine.log_capacity = kRememberedDecisions;
  options.engine.record_scores = setup.record_scores;
  options.engine.log = setup.log;
  options.engine.worker_threads =
      std::min<size_t>(static_cast<size_t>(setup.config.parallelism), std::thread::hardware_concurrency());
  options.engine.commands.seed = setup.seed;
  // Event objects are not used here, and in a long run they would fill the store.
  options.engine.commands.max_events = 0;
  return options;
}

Duration RetriedWithin(const SchedulerSetup& setup) {
  const auto has_permit = [](const config::ProfilePlan& plan) {
    return !plan.at(framework::ExtensionPoint::Permit).empty();
  };
  return std::ranges::any_of(setup.plans, has_permit) ? kLongestRest + kLongestPermit : kLongestRest;
}

}  // namespace

Timestamp UsableStart(Timestamp suggested) {
  constexpr Timestamp kLatestStart = std::chrono::sys_days(std::chrono::year(2100) / 1 / 1);
  return std::chrono::floor<std::chrono::seconds>(std::min(suggested, kLatestStart));
}

VirtualScheduler::VirtualScheduler(const SchedulerSetup& setup, Timestamp start)
    : clock_(start), store_(clock_), retried_within_(RetriedWithin(setup)) {}

Result<std::unique_ptr<VirtualScheduler>> VirtualScheduler::Make(const SchedulerSetup& setup, Timestamp start,
                                                                 DecisionSink sink) {
  std::unique_ptr<VirtualScheduler> made(new VirtualScheduler(setup, start));
  std::unique_ptr<framework::Extenders> extenders;
  scheduler::SchedulerOptions options = OptionsFor(setup);
  options.store.keep_documents = setup.keep_documents;
  if (setup.make_extenders) {
    BERTH_ASSIGN_OR_RETURN(extenders, setup.make_extenders());
  }
  BERTH_ASSIGN_OR_RETURN(made->scheduler_,
                         scheduler::Scheduler::Create(setup.plans, *setup.registry, made->store_, made->clock_, options,
                                                      /*threads=*/false, std::move(extenders)));
  if (sink) made->engine().log().SetSink(std::move(sink));
  return made;
}

bool VirtualScheduler::Step() {
  // The expiry of a wait at Permit takes two turns: one detects it and reports no work, the next handles the message.
  return scheduler_->Pump() || scheduler_->Pump() || scheduler_->AwaitAnswer();
}

void VirtualScheduler::Settle() {
  while (Step()) {
  }
}

std::vector<std::string> VirtualScheduler::Problems() const {
  std::vector<std::string> sentences;
  for (const scheduler::KnownProblem& problem : scheduler_->status().problems) {
    sentences.push_back(problem.count == 1 ? problem.text : fmt::format("{} ({} times)", problem.text, problem.count));
  }
  std::ranges::reverse(sentences);  // the oldest first
  return sentences;
}

void VirtualScheduler::ForgetHistory() {
  constexpr store::Revision kWorthwhile = 4'096;
  const Result<store::Revision> head = store_.CurrentRevision();
  // A failure is harmless: the history just stays longer.
  if (head && *head - store_.CompactFloor() > kWorthwhile) static_cast<void>(store_.Compact(*head));
}

std::optional<Timestamp> VirtualScheduler::NextDeadline() const {
  const std::optional<Timestamp> deadline = scheduler_->NextDeadline();
  if (!deadline) return std::nullopt;
  return std::max(*deadline, clock_.Now() + kShortestJump);
}

void VirtualScheduler::Jump(Timestamp latest) {
  const std::optional<Timestamp> deadline = NextDeadline();
  is_due_ = deadline && *deadline <= latest;
  clock_.JumpTo(is_due_ ? *deadline : latest);
}

}  // namespace berth::simulator
