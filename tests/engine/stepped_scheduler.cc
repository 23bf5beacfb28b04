// SPDX-License-Identifier: Apache-2.0
#include "engine/stepped_scheduler.h"

#include <utility>
#include <variant>

namespace berth::test {

SteppedScheduler::SteppedScheduler(const framework::Registry& registry, std::vector<config::ProfilePlan> plans,
                                   size_t threads, store::Store* through, metrics::SchedulerMetrics* metrics)
    : home_(through == nullptr ? cluster.store : *through, clock),
      pool_(inbox_, threads),
      engine_(scheduler::Engine::Create(std::move(plans), registry, {}, {&clock, &inbox_, &home_, &pool_, metrics})
                  .value()) {
  home_.Open(inbox_, api::SchedulingKinds());
}

void SteppedScheduler::Sort() {
  std::vector<scheduler::Message> messages;
  inbox_.Take(messages);
  for (scheduler::Message& message : messages) {
    const bool is_answer =
        std::holds_alternative<home::Completion>(message) || std::holds_alternative<scheduler::WorkDone>(message);
    (is_answer ? answers_ : told_).push_back(std::move(message));
  }
}

bool SteppedScheduler::Decide() {
  Sort();
  std::vector<scheduler::Message> told = std::exchange(told_, {});
  for (scheduler::Message& message : told) engine_->Handle(message);
  engine_->Tick();
  const bool tried = engine_->ScheduleOne();
  engine_->SendCommands();
  return tried || !told.empty();
}

bool SteppedScheduler::Answer() {
  Sort();
  std::vector<scheduler::Message> arrived = std::exchange(answers_, {});
  for (scheduler::Message& message : arrived) engine_->Handle(message);
  engine_->SendCommands();
  return !arrived.empty();
}

size_t SteppedScheduler::unhandled_answers() {
  Sort();
  return answers_.size();
}

void SteppedScheduler::Settle() {
  bool worked = true;
  while (worked) {
    worked = false;
    while (Hear()) worked = true;
    worked |= Answer();
    worked |= Decide();
    while (Work()) worked = true;
    while (Write()) worked = true;
  }
}

void SteppedScheduler::Pass(Duration duration) {
  const Timestamp end = clock.Now() + duration;
  Settle();
  while (clock.Now() < end) {
    const std::optional<Timestamp> next = NextDeadline();
    clock.Advance(next && *next > clock.Now() && *next < end ? *next - clock.Now() : end - clock.Now());
    Settle();
  }
}

std::optional<Timestamp> SteppedScheduler::NextDeadline() const {
  std::optional<Timestamp> next;
  for (const std::optional<Timestamp>& moment : {engine_->NextTick(), home_.NextDue()}) {
    if (moment && (!next || *moment < *next)) next = moment;
  }
  return next;
}

}  // namespace berth::test
