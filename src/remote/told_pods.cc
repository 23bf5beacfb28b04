// SPDX-License-Identifier: Apache-2.0
#include "remote/told_pods.h"

#include "remote/wire.h"

#include <memory>
#include <utility>

namespace berth::remote {

using framework::kNoNode;
using framework::PodClassPtr;
using framework::PodInfo;
using framework::PodUid;

namespace {

// Whether a copy says the same. Parts are shared, so equal ones are one object.
bool IsSame(const api::Pod& a, const api::Pod& b) {
  return a.spec == b.spec && a.status == b.status && a.node_name == b.node_name &&
         a.meta.resource_version == b.meta.resource_version && a.meta.labels == b.meta.labels &&
         a.meta.annotations == b.meta.annotations && a.meta.deleted == b.meta.deleted;
}

}  // namespace

ToldPods::Id ToldPods::Mention(const api::PodPtr& pod, const PodClassPtr& pod_class, ObjectsWriter& out) {
  const Slot slot = SlotOf(PodUid(*pod));
  const Pod& told = pods_[slot];
  const Id id = told.id;
  if (told.node != kNoNode) return id;
  const bool is_told = told.object == pod || (told.object != nullptr && IsSame(*told.object, *pod));
  if (!is_told || (pod_class != nullptr && told.pod_class != pod_class)) Tell(slot, pod, pod_class, out);
  pending_.Use(slot);
  if (pending_count_ > most_pending_) ForgetOldest(out);
  return id;
}

ToldPods::Id ToldPods::Mention(const api::Pod& pod, ObjectsWriter& out) {
  const auto it = slot_of_uid_.find(PodUid(pod));
  if (it != slot_of_uid_.end() && IsSame(*pods_[it->second].object, pod)) {
    return Mention(pods_[it->second].object, nullptr, out);
  }
  return Mention(std::make_shared<const api::Pod>(pod), nullptr, out);
}

bool ToldPods::Renew(const PodInfo& pod, ObjectsWriter& out) {
  const Slot slot = slot_of_uid_.at(PodUid(*pod.pod));
  const Pod& told = pods_[slot];
  if (told.object == pod.pod && told.pod_class == pod.pod_class) return false;
  Tell(slot, pod.pod, pod.pod_class, out);
  return true;
}

ToldPods::Slot ToldPods::SlotOf(std::string_view uid) {
  if (const auto it = slot_of_uid_.find(uid); it != slot_of_uid_.end()) return it->second;
  Slot slot = static_cast<Slot>(pods_.size());
  if (free_.empty()) {
    pods_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  pods_[slot] = {.id = ++last_id_, .object = nullptr, .pod_class = nullptr, .node = kNoNode};
  slot_of_id_.emplace(last_id_, slot);
  ++pending_count_;
  return slot;
}

void ToldPods::Tell(Slot slot, const api::PodPtr& pod, const PodClassPtr& pod_class, ObjectsWriter& out) {
  Pod& told = pods_[slot];
  const uint64_t class_number = EnterClass(pod_class);
  LeaveClass(std::exchange(told.pod_class, pod_class));
  // The key lies in the pod that is replaced.
  if (told.object != nullptr) slot_of_uid_.erase(PodUid(*told.object));
  told.object = pod;
  slot_of_uid_.emplace(PodUid(*pod), slot);
  std::string document = out.DocumentOf(pod);
  wire::Pod& written = *out.Add(document.size()).mutable_pod();
  written.set_id(told.id);
  written.set_uid(pod->meta.uid);
  written.set_namespace_(pod->meta.namespace_);
  written.set_name(pod->meta.name);
  written.set_class_id(class_number);
  written.set_document(std::move(document));
}

void ToldPods::Place(const PodInfo& pod, framework::NodeId node, ObjectsWriter& out) {
  const Slot slot = slot_of_uid_.at(PodUid(*pod.pod));
  Pod& told = pods_[slot];
  if (std::exchange(told.node, node) == kNoNode) {
    pending_.Erase(slot);
    --pending_count_;
  }
  wire::Placed& placed = *out.Add().mutable_placed();
  placed.set_pod(told.id);
  placed.set_node(node);
}

void ToldPods::Unplace(const PodInfo& pod, framework::NodeId node, ObjectsWriter& out) {
  const Slot slot = slot_of_uid_.at(PodUid(*pod.pod));
  Pod& told = pods_[slot];
  if (told.node != node) return;
  told.node = kNoNode;
  pending_.Use(slot);
  ++pending_count_;
  out.Add().set_unplaced(told.id);
}

const ToldPods::Pod* ToldPods::Find(Id id) const {
  const auto it = slot_of_id_.find(id);
  return it == slot_of_id_.end() ? nullptr : &pods_[it->second];
}

uint64_t ToldPods::EnterClass(const PodClassPtr& pod_class) {
  if (pod_class == nullptr) return 0;
  ClassNumber& known = classes_[pod_class.get()];
  if (known.pods++ == 0) known.number = ++last_class_;
  return known.number;
}

// A pod keeps its class alive, so no other class can be taken for it.
void ToldPods::LeaveClass(const PodClassPtr& pod_class) {
  if (pod_class == nullptr) return;
  const auto it = classes_.find(pod_class.get());
  if (--it->second.pods == 0) classes_.erase(it);
}

void ToldPods::ForgetOldest(ObjectsWriter& out) {
  const Slot slot = pending_.oldest();
  pending_.Erase(slot);
  --pending_count_;
  Pod& told = pods_[slot];
  out.Add().set_pod_gone(told.id);
  slot_of_uid_.erase(PodUid(*told.object));
  slot_of_id_.erase(told.id);
  LeaveClass(told.pod_class);
  told = {};
  free_.push_back(slot);
}

}  // namespace berth::remote
