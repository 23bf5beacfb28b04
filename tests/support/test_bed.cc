// SPDX-License-Identifier: Apache-2.0
#include "support/test_bed.h"

#include "config/load.h"
#include "config/plan.h"
#include "plugins/registry.h"
#include "support/builders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::test {

void RecordingRoles::Preempt(const framework::PodInfo& preemptor, std::string_view node,
                             std::span<const framework::PodInfoPtr> victims, std::string_view plugin) {
  std::vector<std::string> names;
  for (const framework::PodInfoPtr& victim : victims) {
    evicted.push_back(victim->pod->meta.uid);
    names.push_back(victim->pod->meta.Key());
  }
  preemptions.push_back(
      fmt::format("{} on {}: {}, by {}", preemptor.pod->meta.Key(), node, fmt::join(names, " "), plugin));
}

void RecordingRoles::Activate(std::vector<std::string> pod_uids) {
  const MutexLock lock(mutex_);
  activated_.insert(activated_.end(), pod_uids.begin(), pod_uids.end());
}

std::vector<std::string> RecordingRoles::activated() const {
  const MutexLock lock(mutex_);
  return activated_;
}

void RecordingRoles::Record(const api::PodPtr& about, const api::PodPtr&, framework::PodEvent event) {
  events.push_back(
      fmt::format("{} {} {} {}: {}", event.type, event.reason, event.action, about->meta.Key(), event.note));
}

std::vector<config::ProfilePlan> PlansOf(std::string_view configuration, const framework::Registry& registry) {
  if (configuration.empty()) {
    Result<std::vector<config::ProfilePlan>> plans =
        config::PlanProfiles(config::DefaultConfiguration(registry), registry);
    BERTH_CHECK(plans.has_value());
    return std::move(*plans);
  }
  auto planned = config::LoadAndPlan(configuration, "test", registry);
  if (const auto* problem = std::get_if<config::ConfigProblem>(&planned)) {
    fmt::print(stderr, "{}\n", fmt::join(problem->messages, "\n"));
    BERTH_CHECK(problem == nullptr);
  }
  return std::move(std::get<config::PlannedConfiguration>(planned).plans);
}

config::ProfilePlan PlanOf(const framework::Registry& registry) {
  config::ProfilePlan plan;
  plan.scheduler_name = "default-scheduler";
  for (const framework::PluginEntry& entry : registry.entries()) {
    for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
      if (entry.points.Has(point)) plan.at(point).push_back({entry.name, 1});
    }
  }
  return plan;
}

runtime::Profile& TestBed::AddProfile(config::ProfilePlan plan, const framework::Registry& registry) {
  runtime::Services services;
  services.cluster = &cluster;
  services.lister = lister != nullptr ? lister : &cluster.objects();
  services.resource_names = &names;
  services.nominator = &nominated;
  services.waiting_pods = &waiting;
  services.evictor = &roles;
  services.events = &roles;
  services.activator = &roles;
  services.clock = &clock;
  services.metrics = metrics;
  services.workers = workers;
  Result<std::unique_ptr<runtime::Profile>> built = runtime::Profile::Build(std::move(plan), registry, services);
  BERTH_CHECK(built.has_value());
  return *profiles.emplace_back(std::move(*built));
}

void TestBed::Add(const api::Object& object) {
  if (const auto* node = std::get_if<api::NodePtr>(&object)) {
    cluster.SetNode(*node);
  } else if (const auto* pod = std::get_if<api::PodPtr>(&object)) {
    if (!(*pod)->node_name.empty()) {
      cluster.PlacePod(Info(*pod), (*pod)->node_name);
    } else if (!(*pod)->status->nominated_node_name.empty()) {
      nominated.Add(Info(*pod), (*pod)->status->nominated_node_name);
    }
  } else {
    cluster.SetObject(object);
  }
}

std::unique_ptr<TestBed> DefaultTestBed() {
  auto bed = std::make_unique<TestBed>();
  const framework::Registry registry = plugins::InTreeRegistry();
  bed->AddProfile(PlansOf({}, registry).front(), registry);
  return bed;
}

}  // namespace berth::test
