// SPDX-License-Identifier: Apache-2.0
#include "engine/stored_cluster.h"

#include "api/document.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::test {
namespace {

store::Key PodKey(const std::string& name) { return {"Pod", "default", name}; }

std::string Comma(const std::string& members) { return members.empty() ? "" : "," + members; }

store::Operation Removal(store::Key key) {
  store::Operation remove;
  remove.type = store::Operation::Type::Delete;
  remove.key = std::move(key);
  return remove;
}

}  // namespace

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

void StoredCluster::Write(std::vector<store::Operation> operations) {
  store::Transaction transaction;
  transaction.operations = std::move(operations);
  BERTH_CHECK(store.Commit(std::move(transaction)).value().committed);
}

void StoredCluster::AddNode(const std::string& name, const std::string& cpu, const std::string& more_labels) {
  Write({NodeOperation(name, cpu, more_labels)});
}

void StoredCluster::UpdateNode(const std::string& name, const std::string& cpu, const std::string& more_labels) {
  store::Operation update = NodeOperation(name, cpu, more_labels);
  update.type = store::Operation::Type::Update;
  Write({std::move(update)});
}

void StoredCluster::RemoveNode(const std::string& name) { Write({Removal({"Node", "", name})}); }

void StoredCluster::AddPod(const std::string& name, const PodWish& wish) { Write({PodOperation(name, wish)}); }

// Tries until nobody else writes the pod in between: a binding must not be undone.
void StoredCluster::UpdatePod(const std::string& name, const PodWish& wish) {
  bool committed = false;
  while (!committed) {
    const store::RecordPtr present = store.Get(PodKey(name)).value();
    store::Operation update = PodOperation(name, wish);
    update.type = store::Operation::Type::Update;
    update.uid = present->uid;
    update.fields.node_name = present->fields.node_name;
    store::Transaction transaction;
    transaction.preconditions.push_back({update.key, store::Precondition::Test::ModifiedAt, present->modified, {}});
    transaction.operations.push_back(std::move(update));
    committed = store.Commit(std::move(transaction)).value().committed;
  }
}

void StoredCluster::RemovePod(const std::string& name) { Write({Removal(PodKey(name))}); }

std::string StoredCluster::NodeOf(const std::string& pod) const {
  const Result<store::RecordPtr> found = store.Get(PodKey(pod));
  return found ? (*found)->fields.node_name : "gone";
}

std::string StoredCluster::DocumentOf(const std::string& pod) const {
  const Result<store::RecordPtr> found = store.Get(PodKey(pod));
  return found ? *(*found)->value : "gone";
}

std::vector<std::string> StoredCluster::EventsOf(const std::string& pod) const {
  store::ListOptions options;
  options.selection.kinds = {"Event"};
  std::vector<store::RecordPtr> records = store.List(options)->objects;
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

std::vector<store::RecordPtr> StoredCluster::Pods() const {
  store::ListOptions options;
  options.selection.kinds = {"Pod"};
  return store.List(options)->objects;
}

size_t StoredCluster::UnboundPods() const {
  store::ListOptions options;
  options.selection.kinds = {"Pod"};
  options.selection.fields = {{store::Selection::Field::NodeName, "", true}};
  return store.List(options)->objects.size();
}

}  // namespace berth::test
