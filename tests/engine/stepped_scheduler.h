// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "config/profile_plan.h"
#include "engine/stored_cluster.h"
#include "framework/registry.h"
#include "scheduler/binding_pool.h"
#include "scheduler/engine.h"
#include "scheduler/inbox.h"
#include "scheduler/intake.h"
#include "scheduler/outbox.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace berth::test {

// A store with a cluster in it, and a scheduler over it that is taken apart: a part moves when it is told to, and the
// others stand still meanwhile. So anything may happen between a decision and its write, and between a write and what
// the engine hears of it. Time stands still until it is moved. One thread.
class SteppedScheduler {
 public:
  // The plugins of `registry`, which outlives this, as `plans` has them. Without binding threads, Bind does their work.
  SteppedScheduler(const framework::Registry& registry, std::vector<config::ProfilePlan> plans,
                   size_t binding_threads = 0);

  // Each moves one part once, and says whether it had anything to do.
  bool Hear() { return intake_.Pump(Duration(0)); }  // the next of what the store tells arrives
  bool Decide();                                     // the engine handles what arrived, and tries a pod
  bool Bind() { return binding_.Pump(); }            // plugins prepare or bind one pod
  bool Write() { return outbox_.Pump(); }            // what is due is written
  bool Answer();                                     // the engine handles the answers to bindings that arrived
  // Answers that arrived and were not handled. Decide leaves them alone: the store may tell of a binding before or
  // after its writer does.
  size_t unhandled_answers();

  // Works until nothing is left to do at this moment.
  void Settle();
  // Moves the time on, stopping at every moment when there is something to do.
  void Pass(Duration duration);

  scheduler::Engine& engine() { return *engine_; }
  scheduler::BindingPool& binding() { return binding_; }
  const scheduler::Outbox& outbox() const { return outbox_; }

  ManualClock clock{Timestamp(std::chrono::hours(24 * 365 * 50))};
  StoredCluster cluster{clock};

 private:
  // Empties the inbox into the two lines below.
  void Sort();
  std::optional<Timestamp> NextDeadline() const;

  scheduler::Inbox inbox_{scheduler::Inbox::kUnbounded};
  scheduler::Outbox outbox_{cluster.store, inbox_, clock, {}, nullptr};
  scheduler::BindingPool binding_;
  scheduler::Intake intake_{cluster.store, inbox_, clock};
  std::unique_ptr<scheduler::Engine> engine_;
  std::vector<scheduler::Message> answers_;  // to bindings
  std::vector<scheduler::Message> told_;     // everything else
};

}  // namespace berth::test
