// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/whole_document.h"
#include "base/clock.h"
#include "base/result.h"
#include "config/profile_plan.h"
#include "config/types.h"
#include "framework/extender.h"
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

// The scheduler to simulate: everything its decisions depend on, besides the inputs.
struct SchedulerSetup {
  config::SchedulerConfiguration config;
  std::vector<config::ProfilePlan> plans;  // of the configuration
  std::shared_ptr<const framework::Registry> registry;
  uint64_t seed = 0;                       // breaks ties between nodes of equal score
  api::KeptDocuments keep_documents = {};  // for those who are told of whole objects
  // The extenders to ask; empty: none. They are asked in real time, while the clock stands still.
  std::function<Result<std::unique_ptr<framework::Extenders>>()> make_extenders = {};
  bool record_scores = false;  // decisions include the best nodes' scores by plugin
  log::Logger log;             // for the scheduler; does not affect decisions
};

// The suggested start time, made usable: in whole seconds, as in objects' timestamps, and early enough that the
// simulation cannot overflow Timestamp.
Timestamp UsableStart(Timestamp suggested);

// The real scheduler over a memory store, with a clock that jumps. It has no engine thread and works only when settled
// or stepped, so the same setup, inputs and times give the same decisions. One thread.
class VirtualScheduler {
 public:
  using DecisionSink = std::function<void(const scheduler::DecisionRecord&)>;

  // Fails when a profile cannot be built. `sink` is called for every decision.
  static Result<std::unique_ptr<VirtualScheduler>> Make(const SchedulerSetup& setup, Timestamp start,
                                                        DecisionSink sink);
  VirtualScheduler(const VirtualScheduler&) = delete;
  VirtualScheduler& operator=(const VirtualScheduler&) = delete;

  // Works until nothing is left to do at the current time.
  void Settle();
  // One step of Settle: delivers all pending writes and messages, and decides one pod. Returns whether there was
  // anything to do.
  bool Step();
  // Whether the current time is a deadline of the scheduler. If not, and nothing has changed, do not call Settle: it
  // then works only at the times of its inputs and deadlines, so that a replay sees the same times.
  bool is_due() const { return is_due_; }
  // Compacts the store's history. All watches must be up to date.
  void ForgetHistory();
  // Advances the clock to `latest`, or to the scheduler's next deadline if that is earlier.
  void Jump(Timestamp latest);
  // The scheduler's next deadline; nothing when the passage of time alone changes nothing.
  std::optional<Timestamp> NextDeadline() const;
  // Every pending pod has been retried within this time after the last change.
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
