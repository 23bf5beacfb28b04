// SPDX-License-Identifier: Apache-2.0
#include "engine/live_cluster.h"

#include "api/document.h"
#include "config/defaults.h"
#include "config/plan.h"
#include "plugins/registry.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::test {
namespace {

store::Key PodKey(const std::string& name) { return {"Pod", "default", name}; }

store::Operation NodeOperation(const std::string& name, const std::string& cpu, const std::string& more_labels) {
  store::Operation operation;
  operation.key = {"Node", "", name};
  operation.uid = name;
  operation.value = fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{0}","uid":"{0}","labels":{{"kubernetes.io/hostname":)"
      R"("{0}"{1}{2}}}}},"status":{{"allocatable":{{"cpu":"{3}","memory":"32Gi","pods":"110"}}}}}})",
      name, more_labels.empty() ? "" : ",", more_labels, cpu);
  return operation;
}

std::string Comma(const std::string& members) { return members.empty() ? "" : "," + members; }

store::Operation PodOperation(const std::string& name, const PodWish& wish) {
  store::Operation operation;
  operation.key = PodKey(name);
  operation.uid = "uid-" + name;
  operation.fields = {wish.node, "Pending", wish.scheduler};
  operation.value = fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","namespace":"default","uid":"{}"{}}},"spec":{{)"
      R"("schedulerName":"{}","priority":{},"containers":[{{"name":"c","resources":{{"requests":{{"cpu":"{}"}}}}}}]{}}},)"
      R"("status":{{"phase":"Pending"{}}}}})",
      name, operation.uid, Comma(wish.more_meta), wish.scheduler, wish.priority, wish.cpu, Comma(wish.more_spec),
      Comma(wish.more_status));
  return operation;
}

}  // namespace

std::vector<config::ProfilePlan> DefaultPlans(const framework::Registry& registry) {
  return config::PlanProfiles(config::DefaultConfiguration(), registry).value();
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
                         scheduler::SchedulerOptions options, store::Store* through)
    : registry(std::move(its_registry)) {
  store::Store& seen = through == nullptr ? store : *through;
  scheduler = std::move(
      scheduler::Scheduler::Create(std::move(plans), registry, seen, clock, options, /*threads=*/false).value());
}

void LiveCluster::Write(store::Operation operation) {
  store::Transaction transaction;
  transaction.operations.push_back(std::move(operation));
  BERTH_CHECK(store.Commit(std::move(transaction)).value().committed);
}

void LiveCluster::AddNode(const std::string& name, const std::string& cpu, const std::string& more_labels) {
  Write(NodeOperation(name, cpu, more_labels));
}

void LiveCluster::UpdateNode(const std::string& name, const std::string& cpu, const std::string& more_labels) {
  store::Operation update = NodeOperation(name, cpu, more_labels);
  update.type = store::Operation::Type::Update;
  Write(std::move(update));
}

void LiveCluster::RemoveNode(const std::string& name) {
  store::Operation remove;
  remove.type = store::Operation::Type::Delete;
  remove.key = {"Node", "", name};
  Write(std::move(remove));
}

void LiveCluster::AddPod(const std::string& name, const PodWish& wish) { Write(PodOperation(name, wish)); }

void LiveCluster::UpdatePod(const std::string& name, const PodWish& wish) {
  store::Operation update = PodOperation(name, wish);
  update.type = store::Operation::Type::Update;
  update.fields.node_name = NodeOf(name);
  Write(std::move(update));
}

void LiveCluster::RemovePod(const std::string& name) {
  store::Operation remove;
  remove.type = store::Operation::Type::Delete;
  remove.key = PodKey(name);
  Write(std::move(remove));
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

std::string LiveCluster::NodeOf(const std::string& pod) const {
  const Result<store::RecordPtr> found = const_cast<store::MemoryStore&>(store).Get(PodKey(pod));
  return found ? (*found)->fields.node_name : "gone";
}

std::string LiveCluster::DocumentOf(const std::string& pod) const {
  const Result<store::RecordPtr> found = const_cast<store::MemoryStore&>(store).Get(PodKey(pod));
  return found ? *(*found)->value : "gone";
}

queue::Place LiveCluster::PlaceOf(const std::string& pod) { return engine().queue().PlaceOf("uid-" + pod); }

std::vector<std::string> LiveCluster::EventsOf(const std::string& pod) const {
  store::ListOptions options;
  options.selection.kinds = {"Event"};
  std::vector<store::RecordPtr> records = const_cast<store::MemoryStore&>(store).List(options)->objects;
  std::ranges::sort(records, {}, [](const store::RecordPtr& record) { return record->created; });
  std::vector<std::string> events;
  for (const store::RecordPtr& record : records) {
    const std::vector<api::Document> documents = api::ReadDocuments(*record->value, "event").value();
    const api::Value& event = documents.front().root;
    if (event.Find("regarding")->Find("name")->text() != pod) continue;
    events.push_back(event.Find("reason")->text() + ": " + event.Find("note")->text());
  }
  return events;
}

}  // namespace berth::test
