// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "config/profile_plan.h"
#include "config/types.h"
#include "framework/registry.h"
#include "log/logger.h"
#include "scheduler/scheduler.h"
#include "simulator/run/virtual_clock.h"
#include "store/memory/memory_store.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace berth::simulator {

// Which scheduler is simulated: the whole of what its decisions depend on, besides the inputs.
struct SchedulerSetup {
  config::SchedulerConfiguration config;
  std::vector<config::ProfilePlan> plans;  // of the configuration
  const framework::Registry* registry = nullptr;
  uint64_t seed = 0;           // decides among nodes of equal score
  bool record_scores = false;  // decisions also tell the best nodes' scores by plugin
  log::Logger log;             // for the scheduler; changes no decision
};

// The moment a simulation can start at when its objects suggest this one: in whole seconds, as objects tell times, and
// early enough for time to go on.
Timestamp UsableStart(Timestamp suggested);

// The scheduler as it is, over a memory store, with a clock that jumps. It has no threads, and does something only when
// it is settled; so equal setups, inputs and times give equal decisions. One thread.
class VirtualScheduler {
 public:
  using DecisionSink = std::function<void(const scheduler::DecisionRecord&)>;

  // Fails when a profile cannot be built. `sink` is told every decision.
  static Result<std::unique_ptr<VirtualScheduler>> Make(const SchedulerSetup& setup, Timestamp start,
                                                        DecisionSink sink);
  VirtualScheduler(const VirtualScheduler&) = delete;
  VirtualScheduler& operator=(const VirtualScheduler&) = delete;

  // Works until nothing is left to do at this moment.
  void Settle();
  // Part of that: everything is written and heard, and a pod decided. Says whether there was anything to do.
  bool Step();
  // Whether the scheduler itself asked for this moment. When it did not, and nothing has changed, it is not to be
  // settled: so a run has the moments of its inputs and of its deadlines, and no others.
  bool is_due() const { return is_due_; }
  // Lets the store forget what everybody has seen. Whoever watches it has been told everything.
  void ForgetHistory();
  // Moves the time on: to `latest`, or to the moment before it when the scheduler next has something to do.
  void Jump(Timestamp latest);
  // When that moment is; none when time alone changes nothing.
  std::optional<Timestamp> NextDeadline() const;
  // Within this time after the last change every pending pod has been tried again.
  Duration retried_within() const { return retried_within_; }

  Timestamp Now() const { return clock_.Now(); }
  const Clock& clock() const { return clock_; }
  store::MemoryStore& store() { return store_; }
  scheduler::Engine& engine() { return scheduler_->engine(); }
  // What the scheduler could not do, one sentence each: objects it cannot read, writes that were refused.
  std::vector<std::string> Problems() const;

 private:
  VirtualScheduler(const SchedulerSetup& setup, Timestamp start);

  VirtualClock clock_;
  store::MemoryStore store_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  const Duration retried_within_;
  bool is_due_ = true;
};

}  // namespace berth::simulator
