// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/virtual_scheduler.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace berth::simulator {
namespace {

// Should the scheduler ask for a moment that is over, time still goes on.
constexpr Duration kShortestJump = std::chrono::milliseconds(1);
// After five minutes at most a pod is tried again, and a backoff may come on top.
constexpr Duration kLongestRest = std::chrono::seconds(330);
// A pod may then wait at Permit so long before it makes room for others.
constexpr Duration kLongestPermit = std::chrono::minutes(15);
constexpr size_t kRememberedDecisions = 16;  // whoever wants them all is told each

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
  // Nobody reads Event objects here, and over a long run they would fill the store.
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
  BERTH_ASSIGN_OR_RETURN(made->scheduler_,
                         scheduler::Scheduler::Create(setup.plans, *setup.registry, made->store_, made->clock_,
                                                      OptionsFor(setup), /*threads=*/false));
  if (sink) made->engine().log().SetSink(std::move(sink));
  return made;
}

bool VirtualScheduler::Step() {
  // The end of a wait at Permit is noticed in one turn, which has nothing else to show for it, and heard in the next.
  return scheduler_->Pump() || scheduler_->Pump();
}

void VirtualScheduler::Settle() {
  while (Step()) {
  }
}

void VirtualScheduler::ForgetHistory() {
  constexpr store::Revision kWorthwhile = 4'096;
  const Result<store::Revision> head = store_.CurrentRevision();
  // Without success there is only more to remember.
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
