// SPDX-License-Identifier: Apache-2.0
// What the engine does when the store tells that an object changed.
#include "metrics/scheduler_metrics.h"
#include "queue/change_events.h"
#include "scheduler/engine.h"

#include <cstddef>
#include <functional>
#include <utility>

namespace berth::scheduler {

using framework::PodInfo;
using framework::PodInfoPtr;
using framework::PodUid;

api::PodPtr Engine::WithNode(const api::Pod& pod, const std::string& node) {
  api::Pod copy = pod;
  copy.node_name = node;
  return std::make_shared<const api::Pod>(std::move(copy));
}

void Engine::OnChange(const ObjectChange& change) {
  const bool deleted = change.type == ObjectChange::Type::Deleted;
  if (const auto* node = std::get_if<api::NodePtr>(&change.object)) {
    deleted ? RemoveNode(*node) : SetNode(*node);
  } else if (const auto* pod = std::get_if<api::PodPtr>(&change.object)) {
    deleted ? RemovePod(*pod) : SetPod(*pod);
  } else {
    deleted ? RemoveOther(change.object) : SetOther(change.object);
  }
}

void Engine::WakeBy(const api::Object* before, const api::Object* after) {
  for (const framework::ClusterEvent& event : queue::EventsOf(before, after)) {
    queue_->Wake({event, before, after, {}, {}});
  }
}

// Other pods may use what this one held, or was promised.
void Engine::WakeByFreedRoom(const api::PodPtr& pod, std::optional<int32_t> max_priority, std::string_view except) {
  const api::Object before = pod;
  constexpr framework::ClusterEvent kAssignedPodDelete{framework::EventResource::AssignedPod, framework::kDelete};
  queue_->Wake({kAssignedPodDelete, &before, nullptr, max_priority, except});
}

void Engine::SetNode(const api::NodePtr& node) {
  const framework::NodeId id = cluster_.FindNode(node->meta.name);
  std::optional<api::Object> before;
  if (id != framework::kNoNode) before = cluster_.node(id).node;
  cluster_.SetNode(node);
  if (!before) {
    // A number that is used again keeps its old name until then: no record tells of a node that is not there.
    node_names_.Set(cluster_.FindNode(node->meta.name), node->meta.name);
    shared_node_names_ = nullptr;
  }
  const api::Object after = node;
  WakeBy(before ? &*before : nullptr, &after);
}

void Engine::RemoveNode(const api::NodePtr& node) {
  const framework::NodeId id = cluster_.FindNode(node->meta.name);
  if (id == framework::kNoNode) return;
  const api::Object before = cluster_.node(id).node;
  WakeBy(&before, nullptr);
  cluster_.RemoveNode(node->meta.name);
}

void Engine::SetOther(const api::Object& object) {
  const std::optional<api::Object> before = cluster_.FindObject(api::KindOf(object), api::MetaOf(object).Key());
  cluster_.SetObject(object);
  WakeBy(before ? &*before : nullptr, &object);
}

void Engine::RemoveOther(const api::Object& object) {
  const std::string key = api::MetaOf(object).Key();
  const std::optional<api::Object> before = cluster_.FindObject(api::KindOf(object), key);
  if (!before) return;
  cluster_.RemoveObject(api::KindOf(object), key);
  WakeBy(&*before, nullptr);
}

// The pod with its traits, which follow from its spec, status and namespace, and are shared where those are.
PodInfoPtr Engine::InfoOf(const api::PodPtr& pod, const PodInfo* known) {
  if (known != nullptr && known->pod->spec == pod->spec && known->pod->status == pod->status) {
    return std::make_shared<const PodInfo>(PodInfo{pod, known->traits});
  }
  const size_t place = std::hash<const void*>()(pod->spec.get()) / alignof(std::max_align_t) % known_traits_.size();
  KnownTraits& shared = known_traits_[place];
  if (shared.spec == pod->spec && shared.status == pod->status && shared.namespace_ == pod->meta.namespace_) {
    return std::make_shared<const PodInfo>(PodInfo{pod, shared.traits});
  }
  PodInfoPtr info = framework::MakePodInfo(pod, names_);
  // Most of what a status tells has no part in the traits: equal ones stay one object, by which pods of a template are
  // known.
  const bool is_alike = shared.spec == pod->spec && shared.namespace_ == pod->meta.namespace_;
  if (is_alike && *shared.traits == *info->traits) {
    info = std::make_shared<const PodInfo>(PodInfo{pod, shared.traits});
  }
  shared = {pod->spec, pod->status, pod->meta.namespace_, info->traits};
  return info;
}

void Engine::SetPod(const api::PodPtr& pod) {
  const std::string_view uid = PodUid(*pod);
  if (Attempt* attempt = FindAttempt(uid)) {
    SetAttemptedPod(*attempt, pod);
    return;
  }
  if (!pod->node_name.empty()) {
    SetAssignedPod(pod);
    return;
  }
  if (cluster_.FindPod(uid) != nullptr) return;  // a node is never taken from a pod: this is an old state
  if (!queue_->ProfileFor(pod->spec->scheduler_name)) return;
  const queue::QueuedPod* queued = queue_->Find(uid);
  if (queued == nullptr) {
    queue_->Add(InfoOf(pod, nullptr));
    return;
  }
  const PodInfoPtr before = queued->pod;
  if (!pod->meta.resource_version.empty() && before->pod->meta.resource_version == pod->meta.resource_version) return;
  queue_->Update(before, InfoOf(pod, before.get()));
  const std::string& nominated = before->pod->status->nominated_node_name;
  if (!nominated.empty() && nominated != pod->status->nominated_node_name) {
    WakeByFreedRoom(before->pod, before->pod->priority());
  }
}

void Engine::SetAssignedPod(const api::PodPtr& pod) {
  const std::string_view uid = PodUid(*pod);
  const PodInfo* known = cluster_.FindPod(uid);
  const api::Object after = pod;
  if (known != nullptr) {
    // A pod that is here on our word alone is new as far as the store is concerned.
    const bool is_news = known->pod->node_name.empty();
    const api::Object before = known->pod;
    cluster_.PlacePod(InfoOf(pod, known), pod->node_name);
    WakeBy(is_news ? nullptr : &before, &after);
    return;
  }
  // New to us, or bound by somebody else while it waited here.
  queue_->Remove(uid);
  cluster_.PlacePod(InfoOf(pod, nullptr), pod->node_name);
  WakeBy(nullptr, &after);
}

// The store tells something about a pod that is on its way to a node.
void Engine::SetAttemptedPod(Attempt& attempt, const api::PodPtr& pod) {
  const PodInfoPtr before = attempt.latest;
  attempt.latest = InfoOf(pod, before.get());
  if (!pod->node_name.empty()) {
    const bool is_news = !attempt.assigned;
    const bool was_elsewhere = attempt.assumed && pod->node_name != attempt.node;
    attempt.assumed = false;
    attempt.assigned = true;
    // On the node we chose or on another: the store is right.
    cluster_.PlacePod(attempt.latest, pod->node_name);
    const api::Object old = before->pod;
    const api::Object after = pod;
    WakeBy(is_news ? nullptr : &old, &after);
    if (was_elsewhere) WakeByFreedRoom(WithNode(*attempt.pod->pod, attempt.node));
    if (is_news) StopAttempt(attempt, "assigned to a node");
    return;
  }
  // Its binding may still come through, so its room is kept until that is known.
  if (pod->is_terminating() && !before->pod->is_terminating()) StopAttempt(attempt, "terminating");
}

// Whatever the pod still waits for is in vain. Once its binding is being written this changes nothing.
bool Engine::StopAttempt(Attempt& attempt, std::string_view why) {
  const std::string_view uid = PodUid(*attempt.pod->pod);
  const bool was_waiting =
      waiting_.With(uid, [&](framework::WaitingPod& waiting) { waiting.Reject("", std::string(why)); });
  if (!was_waiting) attempt.stop.request_stop();
  return was_waiting;
}

void Engine::RemovePod(const api::PodPtr& pod) {
  const std::string_view uid = PodUid(*pod);
  if (Attempt* attempt = FindAttempt(uid)) {
    RemoveAttemptedPod(*attempt);
    return;
  }
  if (const PodInfo* known = cluster_.FindPod(uid)) {
    const api::PodPtr before =
        known->pod->node_name.empty() ? WithNode(*known->pod, std::string(cluster_.NodeOf(uid))) : known->pod;
    cluster_.RemovePod(uid);
    WakeByFreedRoom(before);
    return;
  }
  const queue::QueuedPod* queued = queue_->Find(uid);
  if (queued == nullptr) return;
  const PodInfoPtr before = queued->pod;
  queue_->Remove(uid);
  if (!before->pod->status->nominated_node_name.empty()) WakeByFreedRoom(before->pod, before->pod->priority());
}

void Engine::RemoveAttemptedPod(Attempt& attempt) {
  attempt.gone = true;
  if (attempt.assumed) {
    AssumedPodDeleted(attempt);
  } else if (attempt.assigned) {
    const api::PodPtr before = attempt.latest->pod;
    cluster_.RemovePod(PodUid(*before));
    StopAttempt(attempt, "removed");
    WakeByFreedRoom(before);
  }
}

// Its room is free at once, without waiting for a binding that is bound to fail.
void Engine::AssumedPodDeleted(Attempt& attempt) {
  const api::PodPtr placed = WithNode(*attempt.pod->pod, attempt.node);
  if (!StopAttempt(attempt, "removed")) {
    cluster_.RemovePod(PodUid(*attempt.pod->pod));
    attempt.assumed = false;
  }
  WakeByFreedRoom(placed);
}

}  // namespace berth::scheduler
