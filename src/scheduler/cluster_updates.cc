// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster_updates.h"

#include "framework/node_info.h"
#include "metrics/scheduler_metrics.h"
#include "metrics/stopwatch.h"
#include "queue/change_events.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace berth::scheduler {

using framework::PodInfo;
using framework::PodInfoPtr;
using framework::PodUid;

namespace {

constexpr framework::ClusterEvent kWaitingPodAdd{framework::EventResource::UnschedulablePod, framework::kAdd};
constexpr framework::ClusterEvent kWaitingPodUpdate{framework::EventResource::UnschedulablePod, framework::kUpdate};
constexpr framework::ClusterEvent kWaitingPodDelete{framework::EventResource::UnschedulablePod, framework::kDelete};
constexpr framework::ClusterEvent kAssignedPodUpdate{framework::EventResource::AssignedPod, framework::kUpdate};
constexpr framework::ClusterEvent kAssignedPodDelete{framework::EventResource::AssignedPod, framework::kDelete};

}  // namespace

void ClusterUpdates::Apply(const home::ObjectChange& change) {
  if (engine_.metrics == nullptr) {
    TakeIn(change);
    return;
  }
  const metrics::Stopwatch watch;
  engine_.handled.clear();
  TakeIn(change);
  if (engine_.handled.empty()) return;
  const Duration took = watch.Elapsed();
  for (const std::string_view label : engine_.handled) engine_.metrics->EventHandled(label, took);
}

void ClusterUpdates::TakeIn(const home::ObjectChange& change) {
  const bool deleted = change.type == home::ObjectChange::Type::Deleted;
  if (const auto* pod = std::get_if<api::PodPtr>(&change.object)) {
    deleted ? RemovePod(*pod) : SetPod(*pod);
  } else if (const auto* node = std::get_if<api::NodePtr>(&change.object)) {
    deleted ? RemoveNode(*node) : SetNode(*node);
  } else {
    deleted ? RemoveOther(change.object) : SetOther(change.object);
  }
  attempts_.ObjectChanged(change.object);
}

const std::shared_ptr<const NodeNames>& ClusterUpdates::node_names() {
  if (shared_node_names_ == nullptr) shared_node_names_ = std::make_shared<const NodeNames>(node_names_);
  return shared_node_names_;
}

void ClusterUpdates::SetNode(const api::NodePtr& node) {
  cluster::ClusterState& cluster = engine_.cluster;
  const framework::NodeId id = cluster.FindNode(node->meta.name);
  std::optional<api::Object> before;
  if (id != framework::kNoNode) before = cluster.node(id).node;
  cluster.SetNode(node);
  if (!before) {
    engine_.log.V(3).Info("Add event for node", {{"node", node->meta.name}});
    // Until a node's number is reused, its old name may stay: no record refers to a node that no longer exists.
    node_names_.Set(cluster.FindNode(node->meta.name), node->meta.name);
    shared_node_names_ = nullptr;
  }
  const api::Object after = node;
  engine_.WakeBy(before ? &*before : nullptr, &after);
}

void ClusterUpdates::RemoveNode(const api::NodePtr& node) {
  const framework::NodeId id = engine_.cluster.FindNode(node->meta.name);
  if (id == framework::kNoNode) return;
  engine_.log.V(3).Info("Delete event for node", {{"node", node->meta.name}});
  const api::Object before = engine_.cluster.node(id).node;
  engine_.WakeBy(&before, nullptr);
  engine_.cluster.RemoveNode(node->meta.name);
}

void ClusterUpdates::SetOther(const api::Object& object) {
  const std::optional<api::Object> before = engine_.cluster.FindObject(api::KindOf(object), api::MetaOf(object).Key());
  engine_.cluster.SetObject(object);
  engine_.WakeBy(before ? &*before : nullptr, &object);
}

void ClusterUpdates::RemoveOther(const api::Object& object) {
  const std::string key = api::MetaOf(object).Key();
  const std::optional<api::Object> before = engine_.cluster.FindObject(api::KindOf(object), key);
  if (!before) return;
  engine_.cluster.RemoveObject(api::KindOf(object), key);
  engine_.WakeBy(&*before, nullptr);
}

void ClusterUpdates::SetPod(const api::PodPtr& pod) {
  const Attempt* attempt = attempts_.Find(PodUid(*pod));
  const bool was_assigned = attempt != nullptr && attempt->progress.is(Standing::Assigned);
  if (attempts_.PodSet(pod) || held_.PodSet(pod) || consultations_.PodSet(pod)) {
    engine_.NoteHandled(was_assigned             ? kAssignedPodUpdate
                        : pod->node_name.empty() ? kWaitingPodUpdate
                                                 : kWaitingPodDelete);
    return;
  }
  if (pod->node_name.empty()) {
    SetUnassignedPod(pod);
  } else {
    SetAssignedPod(pod);
  }
}

void ClusterUpdates::SetUnassignedPod(const api::PodPtr& pod) {
  const std::string_view uid = PodUid(*pod);
  queue::SchedulingQueue& queue = *engine_.queue;
  if (engine_.cluster.FindPod(uid) != nullptr) return;  // a node is never taken from a pod: this is an old state
  if (!queue.ProfileFor(pod->spec->scheduler_name)) return;
  const queue::QueuedPod* queued = queue.Find(uid);
  if (queued == nullptr) {
    engine_.log.V(3).Info("Add event for unscheduled pod", {{"pod", NameOf(*pod)}});
    queue.Add(engine_.classes.InfoOf(engine_.shadow.Over(pod), nullptr));
    engine_.NoteHandled(kWaitingPodAdd);
    return;
  }
  const PodInfoPtr before = queued->pod;
  if (!pod->meta.resource_version.empty() && before->pod->meta.resource_version == pod->meta.resource_version) return;
  const PodInfoPtr after = engine_.classes.InfoOf(engine_.shadow.Over(pod), before.get());
  queue.Update(before, after);
  NoteUpdate(before->pod, after->pod);
  const std::string& nominated = before->pod->status->nominated_node_name;
  if (!nominated.empty() && nominated != after->pod->status->nominated_node_name) {
    engine_.WakeByFreedRoom(before->pod, before->pod->priority());
  }
}

// For the metrics, a pod's own update counts once as an update and once for each kind of change in it.
void ClusterUpdates::NoteUpdate(const api::PodPtr& before, const api::PodPtr& after) {
  if (engine_.metrics == nullptr) return;
  engine_.NoteHandled(kWaitingPodUpdate);
  const api::Object old_object = before;
  const api::Object new_object = after;
  for (const framework::ClusterEvent& event :
       queue::EventsOf(&old_object, &new_object, engine_.options.queue.changes)) {
    if (event.actions != framework::kUpdate) engine_.NoteHandled(event);
  }
}

void ClusterUpdates::SetAssignedPod(const api::PodPtr& pod) {
  const std::string_view uid = PodUid(*pod);
  const PodInfo* known = engine_.cluster.FindPod(uid);
  const api::Object after = pod;
  if (known != nullptr) {
    // An assumed pod: this is the first time that its home reports it as assigned.
    const bool is_news = known->pod->node_name.empty();
    const api::Object before = known->pod;
    engine_.cluster.PlacePod(engine_.classes.InfoOf(pod, known), pod->node_name);
    engine_.WakeBy(is_news ? nullptr : &before, &after);
    if (is_news) --engine_.unconfirmed;
    engine_.NoteHandled(is_news ? kWaitingPodDelete : kAssignedPodUpdate);
    return;
  }
  // New to us, or bound by somebody else while it waited here.
  engine_.log.V(3).Info("Add event for scheduled pod", {{"pod", NameOf(*pod)}, {"node", pod->node_name}});
  if (engine_.queue->Find(uid) != nullptr) engine_.NoteHandled(kWaitingPodDelete);
  engine_.queue->Remove(uid);
  engine_.shadow.Forget(uid);
  engine_.cluster.PlacePod(engine_.classes.InfoOf(pod, nullptr), pod->node_name);
  engine_.WakeBy(nullptr, &after);
}

void ClusterUpdates::RemovePod(const api::PodPtr& pod) {
  const std::string_view uid = PodUid(*pod);
  engine_.shadow.Forget(uid);
  evictions_.PreemptorGone(uid);
  const bool is_ours = engine_.queue->ProfileFor(pod->spec->scheduler_name).has_value();
  if (!pod->node_name.empty()) {
    engine_.NoteHandled(kAssignedPodDelete);
  } else if (is_ours) {
    engine_.NoteHandled(kWaitingPodDelete);
  }
  if (attempts_.PodDeleted(uid) || held_.PodDeleted(uid) || consultations_.PodDeleted(uid)) return;
  if (const PodInfo* known = engine_.cluster.FindPod(uid)) {
    engine_.log.V(3).Info("Delete event for scheduled pod", {{"pod", NameOf(*pod)}});
    const api::PodPtr before =
        known->pod->node_name.empty() ? WithNode(*known->pod, engine_.cluster.NodeOf(uid)) : known->pod;
    if (known->pod->node_name.empty()) --engine_.unconfirmed;
    engine_.cluster.RemovePod(uid);
    engine_.WakeByFreedRoom(before);
    return;
  }
  if (!is_ours) return;
  engine_.log.V(3).Info("Delete event for unscheduled pod", {{"pod", NameOf(*pod)}});
  const queue::QueuedPod* queued = engine_.queue->Find(uid);
  const api::PodPtr before = queued == nullptr ? pod : queued->pod->pod;
  // Also when it is not queued: a terminating pod that had its turn is in no queue, but may still be nominated.
  engine_.queue->Remove(uid);
  if (!before->status->nominated_node_name.empty()) engine_.WakeByFreedRoom(before, before->priority());
}

}  // namespace berth::scheduler
