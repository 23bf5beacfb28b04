// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "config/profile_plan.h"
#include "engine/stored_cluster.h"
#include "framework/registry.h"
#include "scheduler/scheduler.h"

#include <memory>
#include <string>
#include <vector>

namespace berth::test {

// Comes before the store that looks at it.
struct OwnClock {
  ManualClock clock{Timestamp(std::chrono::hours(24 * 365 * 50))};
};

// A store with a cluster in it, and a whole scheduler over it that is driven step by step. Time stands still until it
// is moved. One thread.
class LiveCluster : public OwnClock, public StoredCluster {
 public:
  // In-tree plugins in their default configuration.
  LiveCluster();
  // The plugins of `registry` as `plans` has them; `through` replaces the scheduler's view of the store, for faults.
  LiveCluster(framework::Registry registry, std::vector<config::ProfilePlan> plans,
              scheduler::SchedulerOptions options = {}, store::Store* through = nullptr,
              std::unique_ptr<framework::Extenders> extenders = nullptr);

  // Works until nothing is left to do at this moment.
  void Settle();
  // Moves the time on, stopping at every moment the scheduler has something to do.
  void Pass(Duration duration);

  queue::Place PlaceOf(const std::string& pod);
  scheduler::Engine& engine() { return scheduler->engine(); }

  framework::Registry registry;
  std::unique_ptr<scheduler::Scheduler> scheduler;
};

std::vector<config::ProfilePlan> DefaultPlans(const framework::Registry& registry);

// The default profile with these plugins added to the points they serve.
std::vector<config::ProfilePlan> DefaultPlansWith(framework::Registry& registry,
                                                  std::vector<framework::PluginEntry> plugins);

}  // namespace berth::test
