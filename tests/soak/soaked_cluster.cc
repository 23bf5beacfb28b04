// SPDX-License-Identifier: Apache-2.0
#include "soaked_cluster.h"

#include "base/check.h"
#include "config/defaults.h"
#include "config/plan.h"
#include "plugins/registry.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace berth::soak {
namespace {

std::string Comma(const std::string& members) { return members.empty() ? "" : "," + members; }

store::Operation NodeOperation(const std::string& name, const NodeParts& parts) {
  const std::string taints =
      parts.taint_value.empty()
          ? ""
          : fmt::format(R"("taints":[{{"key":"soak","value":"{}","effect":"PreferNoSchedule"}}])", parts.taint_value);
  const std::string images =
      parts.image.empty() ? "" : fmt::format(R"(,"images":[{{"names":["{}"],"sizeBytes":50000000}}])", parts.image);
  store::Operation operation;
  operation.key = {"Node", "", name};
  operation.uid = name;
  operation.value = fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{0}","uid":"{0}","labels":{{"kubernetes.io/hostname":)"
      R"("{0}"{1}}}}},"spec":{{{2}}},"status":{{"allocatable":{{"cpu":"64","memory":"256Gi","pods":"110"}}{3}}}}})",
      name, Comma(parts.labels), taints, images);
  return operation;
}

store::Operation PodOperation(const std::string& name, const PodParts& parts) {
  store::Operation operation;
  operation.key = {"Pod", "default", name};
  operation.uid = "uid-" + name;
  operation.fields = {"", "Pending", "default-scheduler"};
  operation.value = fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","namespace":"default","uid":"{}","labels":{{{}}}}},)"
      R"("spec":{{"schedulerName":"default-scheduler","containers":[{{"name":"c","image":"soak:1","resources":{{)"
      R"("requests":{{"cpu":"100m","memory":"64Mi"}}}}}}]{}}},"status":{{"phase":"Pending"}}}})",
      name, operation.uid, parts.labels, Comma(parts.spec));
  return operation;
}

store::Operation ClaimOperation(const std::string& name) {
  store::Operation operation;
  operation.key = {"PersistentVolumeClaim", "default", name};
  operation.uid = "uid-" + name;
  operation.value = fmt::format(
      R"({{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{{"name":"{0}","namespace":"default","uid":)"
      R"("uid-{0}","annotations":{{"pv.kubernetes.io/bind-completed":"yes"}}}},"spec":{{"accessModes":["ReadWriteOnce"],)"
      R"("storageClassName":"","volumeName":"volume-of-{0}","resources":{{"requests":{{"storage":"1Gi"}}}}}},)"
      R"("status":{{"phase":"Bound"}}}})",
      name);
  return operation;
}

store::Operation VolumeOperation(const std::string& claim) {
  store::Operation operation;
  operation.key = {"PersistentVolume", "", "volume-of-" + claim};
  operation.uid = "uid-volume-of-" + claim;
  operation.value = fmt::format(
      R"({{"apiVersion":"v1","kind":"PersistentVolume","metadata":{{"name":"volume-of-{0}","uid":"uid-volume-of-{0}"}},)"
      R"("spec":{{"capacity":{{"storage":"1Gi"}},"accessModes":["ReadWriteOnce"],"claimRef":{{"kind":)"
      R"("PersistentVolumeClaim","namespace":"default","name":"{0}","uid":"uid-{0}"}},"hostPath":{{"path":"/data"}}}},)"
      R"("status":{{"phase":"Bound"}}}})",
      claim);
  return operation;
}

store::Operation Removal(store::Key key) {
  store::Operation remove;
  remove.type = store::Operation::Type::Delete;
  remove.key = std::move(key);
  return remove;
}

}  // namespace

SoakedCluster::SoakedCluster()
    : clock_(Timestamp(std::chrono::hours(24 * 365 * 50))), store_(clock_), registry_(plugins::InTreeRegistry()) {
  scheduler::SchedulerOptions options;
  options.engine.log_capacity = 100;
  auto plans = config::PlanProfiles(config::DefaultConfiguration(registry_), registry_);
  scheduler_ = std::move(
      scheduler::Scheduler::Create(std::move(plans).value(), registry_, store_, clock_, options, /*threads=*/false)
          .value());
}

SoakedCluster::~SoakedCluster() = default;

void SoakedCluster::AddNode(const std::string& name, const NodeParts& parts) {
  operations_.push_back(NodeOperation(name, parts));
}

void SoakedCluster::UpdateNode(const std::string& name, const NodeParts& parts) {
  operations_.push_back(NodeOperation(name, parts));
  operations_.back().type = store::Operation::Type::Update;
}

void SoakedCluster::RemoveNode(const std::string& name) { operations_.push_back(Removal({"Node", "", name})); }

void SoakedCluster::AddPod(const std::string& name, const PodParts& parts) {
  operations_.push_back(PodOperation(name, parts));
}

void SoakedCluster::RemovePod(const std::string& name) { operations_.push_back(Removal({"Pod", "default", name})); }

void SoakedCluster::AddClaim(const std::string& name) {
  operations_.push_back(VolumeOperation(name));
  operations_.push_back(ClaimOperation(name));
}

void SoakedCluster::RemoveClaim(const std::string& name) {
  operations_.push_back(Removal({"PersistentVolumeClaim", "default", name}));
  operations_.push_back(Removal({"PersistentVolume", "", "volume-of-" + name}));
}

void SoakedCluster::Settle() {
  if (!operations_.empty()) {
    store::Transaction transaction;
    transaction.operations = std::exchange(operations_, {});
    BERTH_CHECK(store_.Commit(std::move(transaction)).value().committed);
  }
  Pump();
  clock_.Advance(std::chrono::seconds(1));
  Pump();
  DropEvents();
  BERTH_CHECK(store_.Compact(store_.CurrentRevision().value()).has_value());
}

uint64_t SoakedCluster::decisions() { return scheduler_->engine().counts().attempts; }

uint64_t SoakedCluster::failures() {
  const scheduler::EngineCounts& counts = scheduler_->engine().counts();
  return counts.unschedulable + counts.errors;
}

void SoakedCluster::Pump() {
  while (scheduler_->Pump()) {
  }
}

void SoakedCluster::DropEvents() {
  store::ListOptions options;
  options.selection.kinds = {"Event"};
  const store::Page events = store_.List(options).value();
  store::Transaction transaction;
  for (const store::RecordPtr& event : events.objects) {
    transaction.operations.push_back(Removal(event->key));
  }
  if (transaction.operations.empty()) return;
  BERTH_CHECK(store_.Commit(std::move(transaction)).value().committed);
  Pump();
}

}  // namespace berth::soak
