// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "config/profile_plan.h"
#include "engine/stored_cluster.h"
#include "framework/registry.h"
#include "scheduler/scheduler.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace berth::test {

// Waits until the condition holds; says false when it does not within a time that no healthy run needs.
bool Eventually(const std::function<bool()>& condition);

// A store with a cluster in it on the real clock, and schedulers over it that run with their own threads.
class RunningCluster : public StoredCluster {
 public:
  // In-tree plugins in their default configuration, unless replaced before NewScheduler.
  RunningCluster();
  // Looks at another clock.
  explicit RunningCluster(const Clock& clock);

  // A scheduler over `through`, or over the store itself; not started yet. It must go before the cluster does.
  std::unique_ptr<scheduler::Scheduler> NewScheduler(scheduler::SchedulerOptions options = {},
                                                     store::Store* through = nullptr);
  // Nodes n0, n1, … in one transaction; then pods prefix0, prefix1, … in transactions of `batch`.
  void AddNodes(size_t count, const std::string& cpu);
  void AddPods(const std::string& prefix, size_t count, const PodWish& wish = {}, size_t batch = 100);
  // Waits until every pod in the store has a node, and the scheduler has heard and done everything.
  static bool IsQuiet(scheduler::Scheduler& scheduler);
  bool AllBound() const { return UnboundPods() == 0; }

  framework::Registry registry;
  std::vector<config::ProfilePlan> plans;

 private:
  const Clock& clock_;
};

// What Disagreements says, asked on the engine's thread.
std::string DisagreementsOf(scheduler::Scheduler& scheduler, const StoredCluster& cluster);

}  // namespace berth::test
