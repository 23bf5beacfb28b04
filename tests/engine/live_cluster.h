// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "config/profile_plan.h"
#include "framework/registry.h"
#include "scheduler/scheduler.h"
#include "store/memory/memory_store.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::test {

// What a test wants of a pod besides its name.
struct PodWish {
  std::string cpu = "100m";
  int priority = 0;
  std::string scheduler = "default-scheduler";
  std::string more_spec = {};    // further members of the spec, as JSON: R"("nodeSelector":{"a":"b"})"
  std::string more_meta = {};    // the same for the metadata
  std::string more_status = {};  // the same for the status
  std::string node = {};         // bound already
};

// A store with a cluster in it, and a whole scheduler over it that is driven step by step. Time stands still until it
// is moved. One thread.
class LiveCluster {
 public:
  // In-tree plugins in their default configuration.
  LiveCluster();
  // The plugins of `registry` as `plans` has them; `store` replaces the scheduler's view of the store, for faults.
  LiveCluster(framework::Registry registry, std::vector<config::ProfilePlan> plans,
              scheduler::SchedulerOptions options = {}, store::Store* through = nullptr);

  void AddNode(const std::string& name, const std::string& cpu = "4", const std::string& more_labels = {});
  void UpdateNode(const std::string& name, const std::string& cpu, const std::string& more_labels = {});
  void RemoveNode(const std::string& name);
  void AddPod(const std::string& name, const PodWish& wish = {});
  void UpdatePod(const std::string& name, const PodWish& wish);
  void RemovePod(const std::string& name);

  // Works until nothing is left to do at this moment.
  void Settle();
  // Moves the time on, stopping at every moment the scheduler has something to do.
  void Pass(Duration duration);

  // "" when it has none, "gone" when there is no such pod.
  std::string NodeOf(const std::string& pod) const;
  std::string DocumentOf(const std::string& pod) const;
  queue::Place PlaceOf(const std::string& pod);
  // "Reason: note" of all events about the pod, in order.
  std::vector<std::string> EventsOf(const std::string& pod) const;
  scheduler::Engine& engine() { return scheduler->engine(); }

  ManualClock clock{Timestamp(std::chrono::hours(24 * 365 * 50))};
  store::MemoryStore store{clock};
  framework::Registry registry;
  std::unique_ptr<scheduler::Scheduler> scheduler;

 private:
  void Write(store::Operation operation);
};

std::vector<config::ProfilePlan> DefaultPlans(const framework::Registry& registry);

// The default profile with these plugins added to the points they serve.
std::vector<config::ProfilePlan> DefaultPlansWith(framework::Registry& registry,
                                                  std::vector<framework::PluginEntry> plugins);

}  // namespace berth::test
