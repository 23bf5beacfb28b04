// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "config/profile_plan.h"
#include "engine/stored_cluster.h"
#include "framework/registry.h"
#include "home/store_home.h"
#include "scheduler/engine.h"
#include "scheduler/inbox.h"
#include "scheduler/work_pool.h"

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
  // The plugins of `registry`, which outlives this, as `plans` has them. Without threads, Work does their work.
  // `through` replaces the view of the store, for faults.
  SteppedScheduler(const framework::Registry& registry, std::vector<config::ProfilePlan> plans, size_t threads = 0,
                   store::Store* through = nullptr, metrics::SchedulerMetrics* metrics = nullptr);

  // Each moves one part once, and says whether it had anything to do.
  bool Hear() { return home_.PumpFeeds(); }      // the next of what the store tells arrives
  bool Decide();                                 // the engine handles what arrived, and tries a pod
  bool Work() { return pool_.Pump(); }           // one piece of work of a plugin is done
  bool Write() { return home_.PumpCommands(); }  // what the engine asked for is written
  bool Answer();                                 // the engine handles answers to its commands and works
  // Answers that arrived and were not handled. Decide leaves them alone: the store may tell of a binding before or
  // after its writer does.
  size_t unhandled_answers();

  // Works until nothing is left to do at this moment.
  void Settle();
  // Moves the time on, stopping at every moment when there is something to do.
  void Pass(Duration duration);

  scheduler::Engine& engine() { return *engine_; }
  scheduler::WorkPool& pool() { return pool_; }

  ManualClock clock{Timestamp(std::chrono::hours(24 * 365 * 50))};
  StoredCluster cluster{clock};

 private:
  // Empties the inbox into the two lines below.
  void Sort();
  std::optional<Timestamp> NextDeadline() const;

  scheduler::Inbox inbox_{scheduler::Inbox::kUnbounded};
  home::StoreHome home_;
  scheduler::WorkPool pool_;
  std::unique_ptr<scheduler::Engine> engine_;
  std::vector<scheduler::Message> answers_;  // to commands and works
  std::vector<scheduler::Message> told_;     // everything else
};

}  // namespace berth::test
