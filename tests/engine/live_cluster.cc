// SPDX-License-Identifier: Apache-2.0
#include "engine/live_cluster.h"

#include "config/defaults.h"
#include "config/plan.h"
#include "plugins/registry.h"

#include <utility>

namespace berth::test {

std::vector<config::ProfilePlan> DefaultPlans(const framework::Registry& registry) {
  return config::PlanProfiles(config::DefaultConfiguration(registry), registry).value();
}

std::vector<config::ProfilePlan> DefaultPlansWith(framework::Registry& registry,
                                                  std::vector<framework::PluginEntry> plugins) {
  std::vector<config::ProfilePlan> plans = DefaultPlans(registry);
  for (framework::PluginEntry& entry : plugins) {
    for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
      if (entry.points.Has(point)) plans.front().at(point).push_back({entry.name, 1});
    }
    BERTH_CHECK(registry.Add(std::move(entry)).has_value());
  }
  return plans;
}

LiveCluster::LiveCluster() : LiveCluster(plugins::InTreeRegistry(), DefaultPlans(plugins::InTreeRegistry())) {}

LiveCluster::LiveCluster(framework::Registry its_registry, std::vector<config::ProfilePlan> plans,
                         scheduler::SchedulerOptions options, store::Store* through,
                         std::unique_ptr<framework::Extenders> extenders)
    : StoredCluster(clock), registry(std::move(its_registry)) {
  store::Store& seen = through == nullptr ? store : *through;
  scheduler = std::move(scheduler::Scheduler::Create(std::move(plans), registry, seen, clock, options,
                                                     /*threads=*/false, std::move(extenders))
                            .value());
}

void LiveCluster::Settle() {
  while (scheduler->Pump()) {
  }
}

void LiveCluster::Pass(Duration duration) {
  const Timestamp end = clock.Now() + duration;
  Settle();
  while (clock.Now() < end) {
    const std::optional<Timestamp> next = scheduler->NextDeadline();
    clock.Advance(next && *next > clock.Now() && *next < end ? *next - clock.Now() : end - clock.Now());
    Settle();
  }
}

queue::Place LiveCluster::PlaceOf(const std::string& pod) { return engine().queue().PlaceOf("uid-" + pod); }

}  // namespace berth::test
