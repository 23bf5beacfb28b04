// SPDX-License-Identifier: Apache-2.0
#include "conformance/random_journey.h"

#include "base/check.h"
#include "conformance/random_changes.h"
#include "conformance/random_config.h"
#include "conformance/random_node.h"
#include "conformance/random_parts.h"
#include "conformance/random_storage.h"
#include "conformance/random_workloads.h"
#include "framework/pod_info.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::conformance {
namespace {

constexpr size_t kTemplatesKept = 6;

uint64_t SeedOf(uint64_t seed, uint64_t number) {
  Rng rng(seed);
  return rng.Next() ^ Rng(number).Next();
}

double HowMuch(Dice& dice) { return dice.PickOf({0.0, 0.0, 0.2, 0.5, 1.0}); }

// A full cluster, where arriving pods must preempt.
void Crowd(Dice& dice, ClusterShape& shape) {
  shape.pods = 4 * shape.nodes;
  shape.room = 0;
  shape.priorities = 0.9;
  shape.urgent = 0.7;
  shape.volumes = dice.PickOf({0.0, 0.3});
  for (double* feature : {&shape.taints, &shape.node_affinity, &shape.ports, &shape.spread, &shape.pod_affinity}) {
    *feature *= 0.4;
  }
}

ClusterShape RandomShape(Dice& dice) {
  ClusterShape shape;
  // Few nodes suffice for most bugs; those in 64-node words need more.
  shape.nodes = dice.Chance(0.06) ? 60 + dice.Below(80) : 2 + dice.Below(dice.Chance(0.3) ? 24 : 10);
  shape.pods = dice.Below(shape.nodes > 50 ? shape.nodes : 3 * shape.nodes);
  for (double* feature : {&shape.resources, &shape.taints, &shape.node_affinity, &shape.ports, &shape.images,
                          &shape.spread, &shape.pod_affinity, &shape.volumes, &shape.workloads, &shape.features}) {
    *feature = HowMuch(dice);
  }
  shape.priorities = dice.PickOf({0.0, 0.6, 0.9, 1.0});
  shape.room = dice.PickOf({0.0, 0.5, 0.9, 1.0, 1.0});
  shape.huge_amounts = dice.Chance(0.05);
  shape.zero_amounts = dice.Chance(0.05);
  shape.extra_resources = dice.Chance(0.05) ? dice.Below(12) : 0;
  shape.gates = dice.Chance(0.2) ? 0.15 : 0.0;
  shape.claims = dice.Chance(0.1) ? 0.1 : 0.0;
  shape.oddities = dice.Chance(0.1);
  if (dice.Chance(0.25)) Crowd(dice, shape);
  shape.stored = true;
  return shape;
}

}  // namespace

RandomJourney::RandomJourney(uint64_t seed, uint64_t number)
    : dice_(SeedOf(seed, number)), shape_(RandomShape(dice_)), config_(RandomConfiguration(dice_)) {
  // The last namespace is used by pods but has no Namespace object.
  for (size_t i = 0; i + 1 < RandomNamespaces().size(); ++i) Set(RandomNamespace(dice_, RandomNamespaces()[i]));
  for (size_t i = 0; i < shape_.nodes; ++i) Set(RandomNode(dice_, shape_, fmt::format("node-{:03}", i)));
  if (dice_.Chance(shape_.workloads)) {
    for (api::Object& object : RandomOwners(dice_)) Set(std::move(object));
  }
  if (dice_.Chance(shape_.volumes)) {
    for (api::Object& object : RandomStorage(dice_, shape_)) Set(std::move(object));
  }
  for (size_t i = 0; i < shape_.pods; ++i) {
    const std::string node = RandomNodeName(dice_, shape_.nodes);
    const std::string name = fmt::format("pod-{:04}", made_pods_++);
    Set(FittedTo(node, RandomRunningPod(dice_, shape_, {name, "uid-" + name}, node)));
  }
  queued_.clear();
  steps_left_ = 20 + dice_.Below(40);
}

std::vector<api::Object> RandomJourney::Objects() const {
  std::vector<api::Object> objects;
  for (const auto& [key, object] : objects_) objects.push_back(object);
  return objects;
}

std::optional<JourneyStep> RandomJourney::Next() {
  BERTH_CHECK(scheduled_ == nullptr);
  if (queued_.empty()) {
    if (steps_left_ == 0) return std::nullopt;
    --steps_left_;
    QueueSteps();
  }
  JourneyStep step = std::move(queued_.front());
  queued_.pop_front();
  if (step.schedules) scheduled_ = std::get<api::PodPtr>(*step.after);
  return step;
}

void RandomJourney::QueueSteps() {
  const size_t kind = dice_.Below(100);
  if (burst_left_ == 0 && kind < 15) return queued_.push_back(ChangeNode());
  if (burst_left_ == 0 && kind < 35) return queued_.push_back(ChangeRunningPod());
  if (burst_left_ == 0 && kind < 45) return queued_.push_back(ChangeObject());
  const std::vector<api::PodPtr> waiting = Pods(false);
  if (burst_left_ == 0 && kind < 52 && !waiting.empty()) return queued_.push_back(ChangeWaitingPod(waiting));
  const bool retry = burst_left_ == 0 && !waiting.empty() && dice_.Chance(0.2);
  const api::PodPtr pod = retry ? dice_.OneOf(waiting) : NewPod();
  queued_.push_back({true, std::nullopt, pod});
}

void RandomJourney::Resolve(const std::vector<std::string>& nodes, const std::vector<Eviction>& evictions) {
  BERTH_CHECK(scheduled_ != nullptr);
  const api::PodPtr pod = std::exchange(scheduled_, nullptr);
  if (!nodes.empty() && pod->spec->scheduling_gates.empty()) {
    queued_.push_back(Set(RunningOn(*pod, dice_.OneOf(nodes))));
    return;
  }
  if (nodes.empty() && !evictions.empty() && dice_.Chance(0.6)) {
    const Eviction& chosen = dice_.OneOf(evictions);
    CarryOut(chosen);
    queued_.push_back(Set(NominatedTo(*pod, chosen.node)));
    // Half of the time the pod is retried immediately.
    if (dice_.Chance(0.5)) queued_.push_back({true, std::nullopt, *Find(pod)});
  } else if (!Find(pod)) {
    if (dice_.Chance(0.7)) queued_.push_back(Set(pod));
  } else if (dice_.Chance(0.3)) {
    queued_.push_back(Set(NominatedTo(*pod, {})));
  }
}

void RandomJourney::CarryOut(const Eviction& eviction) {
  for (const std::string& victim : eviction.victims) {
    const auto it = objects_.find({"Pod", victim});
    if (it == objects_.end()) continue;
    const api::Object pod = it->second;
    if (dice_.Chance(0.2)) {
      queued_.push_back(Set(BeingEvicted(*std::get<api::PodPtr>(pod))));
    } else {
      queued_.push_back(Remove(pod));
    }
  }
}

JourneyStep RandomJourney::ChangeNode() {
  const std::string name = RandomNodeName(dice_, shape_.nodes + 1);
  const auto it = objects_.find({"Node", name});
  if (it == objects_.end()) return Set(RandomNode(dice_, shape_, name));
  const api::Object node = it->second;
  if (dice_.Chance(0.15)) return Remove(node);
  return Set(RandomlyChanged(dice_, shape_, *std::get<api::NodePtr>(node)));
}

JourneyStep RandomJourney::ChangeRunningPod() {
  const std::vector<api::PodPtr> running = Pods(true);
  if (running.empty() || dice_.Chance(running.size() > 4 * shape_.nodes ? 0.05 : 0.25)) {
    const std::string node = RandomNodeName(dice_, shape_.nodes);
    const std::string name = fmt::format("pod-{:04}", made_pods_++);
    return Set(FittedTo(node, RandomRunningPod(dice_, shape_, {name, "uid-" + name}, node)));
  }
  const api::PodPtr pod = dice_.OneOf(running);
  if (dice_.Chance(0.5)) return Remove(pod);
  return Set(RandomlyChangedRunning(dice_, shape_, *pod));
}

JourneyStep RandomJourney::ChangeWaitingPod(const std::vector<api::PodPtr>& waiting) {
  const api::PodPtr pod = dice_.OneOf(waiting);
  if (dice_.Chance(0.2)) return Remove(pod);
  return Set(RandomlyChangedWaiting(dice_, *pod));
}

JourneyStep RandomJourney::ChangeObject() {
  const std::string ns = dice_.OneOf(RandomNamespaces());
  std::vector<api::Object> candidates;
  const size_t what = dice_.Below(4);
  if (what == 0) {
    candidates.push_back(RandomNamespace(dice_, ns));
  } else if (what == 1 || shape_.volumes == 0) {
    const std::string kind = dice_.OneOf(OwnerKinds());
    candidates.push_back(RandomOwner(dice_, kind, ns, dice_.Pick({"owner-0", "owner-1"})));
  } else {
    candidates = RandomStorage(dice_, shape_);
  }
  const api::Object chosen = dice_.OneOf(candidates);
  const std::optional<api::Object> known = Find(chosen);
  return known && dice_.Chance(0.25) ? Remove(*known) : Set(chosen);
}

api::PodPtr RandomJourney::NewPod() {
  if (burst_left_ > 0) {
    --burst_left_;
  } else if (templates_.empty() || dice_.Chance(0.5)) {
    if (templates_.size() == kTemplatesKept) templates_.erase(templates_.begin());
    templates_.push_back(RandomPodTemplate(dice_, shape_));
    if (dice_.Chance(0.25)) burst_left_ = 1 + dice_.Below(5);
  } else {
    std::swap(templates_.back(), templates_[dice_.Below(templates_.size())]);
  }
  const std::string name = fmt::format("new-{:04}", made_pods_++);
  PodTemplate from = templates_.back();
  // Pods of one template may belong to different owners, or to none.
  if (dice_.Chance(0.1)) from.owners.clear();
  api::PodPtr pod = PendingPodOf(from, {name, "uid-" + name});
  AddEphemeralClaims(*pod);
  return pod;
}

// The claims of most ephemeral volumes exist before their pod is first tried.
void RandomJourney::AddEphemeralClaims(const api::Pod& pod) {
  for (const api::Volume& volume : pod.spec->volumes) {
    if (!std::holds_alternative<api::EphemeralVolume>(volume.source) || dice_.Chance(0.3)) continue;
    auto claim = std::make_shared<api::PersistentVolumeClaim>();
    claim->meta.name = pod.meta.name + "-" + volume.name;
    claim->meta.namespace_ = pod.meta.namespace_;
    claim->meta.uid = "uid-" + claim->meta.name;
    if (dice_.Chance(0.8)) claim->meta.owners = {{"v1", "Pod", pod.meta.name, pod.meta.uid, true}};
    claim->storage_class_name = dice_.Pick({"csi", "local", "now"});
    claim->access_modes = {"ReadWriteOnce"};
    claim->storage_request = Amount("1Gi");
    claim->phase = "Pending";
    queued_.push_back(Set(std::shared_ptr<const api::PersistentVolumeClaim>(std::move(claim))));
  }
}

// As upstream, when two pods on a node hold the same port, the first to go frees it, so the state depends on history.
// Journeys avoid this: the pod loses its host ports if the node has a pod with the same one.
api::PodPtr RandomJourney::FittedTo(const std::string& node, api::PodPtr pod) const {
  const std::vector<framework::HostPort> mine = framework::HostPortsOf(*pod->spec);
  for (const api::PodPtr& other : Pods(true)) {
    if (other->node_name != node || other->meta.Key() == pod->meta.Key()) continue;
    for (const framework::HostPort& theirs : framework::HostPortsOf(*other->spec)) {
      if (std::ranges::find(mine, theirs) != mine.end()) return WithoutHostPorts(*pod);
    }
  }
  return pod;
}

JourneyStep RandomJourney::Set(api::Object object) {
  JourneyStep step{false, Find(object), object};
  objects_.insert_or_assign({std::string(api::KindOf(object)), api::MetaOf(object).Key()}, std::move(object));
  return step;
}

JourneyStep RandomJourney::Remove(const api::Object& object) {
  JourneyStep step{false, Find(object), std::nullopt};
  objects_.erase({std::string(api::KindOf(object)), api::MetaOf(object).Key()});
  return step;
}

std::optional<api::Object> RandomJourney::Find(const api::Object& like) const {
  const auto it = objects_.find({std::string(api::KindOf(like)), api::MetaOf(like).Key()});
  return it == objects_.end() ? std::nullopt : std::optional(it->second);
}

std::vector<api::PodPtr> RandomJourney::Pods(bool with_node) const {
  std::vector<api::PodPtr> pods;
  for (auto it = objects_.lower_bound({"Pod", ""}); it != objects_.end() && it->first.first == "Pod"; ++it) {
    const api::PodPtr& pod = std::get<api::PodPtr>(it->second);
    if (pod->node_name.empty() != with_node) pods.push_back(pod);
  }
  return pods;
}

}  // namespace berth::conformance
