// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/simulated_cluster.h"

#include "api/object.h"
#include "framework/pod_info.h"
#include "simulator/map_in.h"
#include "simulator/run/ephemeral_claims.h"
#include "simulator/scenario/event_plan.h"
#include "simulator/scenario/templates.h"
#include "text/duration.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::simulator {

using api::Value;
using text::DurationText;
using State = SimulatedPod::State;

namespace {

// How long pods stay after their node is gone, unless configured otherwise.
constexpr Duration kCollectedAfter = std::chrono::seconds(40);

Value* Find(Value& map, std::string_view key) { return const_cast<Value*>(map.Find(key)); }

store::Key NodeKey(const std::string& name) { return {"Node", "", name}; }

Error NoNode(const std::string& name) { return NotFoundError(fmt::format("there is no Node {}", name)); }

void Drop(Value& map, std::string_view key) {
  if (map.is_map())
    std::erase_if(map.mutable_members(), [&](const Value::Member& member) { return member.key == key; });
}

// The node as it would register again: a new object of the same name.
Value Reborn(Value document) {
  Value& metadata = MapIn(document, "metadata");
  for (const char* key : {"uid", "creationTimestamp", "resourceVersion"}) Drop(metadata, key);
  Drop(MapIn(document, "spec"), "unschedulable");
  return document;
}

}  // namespace

SimulatedCluster::SimulatedCluster(const Scenario& scenario, uint64_t seed, StringSet served, ClusterWriter& writer,
                                   const Clock& clock)
    : scenario_(scenario),
      seed_(seed),
      served_(std::move(served)),
      writer_(writer),
      clock_(clock),
      start_(clock.Now()),
      statistics_(scenario, clock.Now(), names_),
      groups_(scenario.nodes.size()),
      nodes_made_(scenario.nodes.size()),
      pods_made_(scenario.workloads.size()),
      shapes_(scenario.workloads.size()) {}

void SimulatedCluster::Begin(const api::Manifests& objects) {
  // Pods come last: their priorities need the priority classes, and bound pods need their nodes.
  for (const bool pods : {false, true}) {
    for (const api::Manifest& manifest : objects.objects) {
      const bool is_pod = std::holds_alternative<api::PodPtr>(manifest.object);
      if (is_pod == pods) Apply({manifest.document, /*must_be_new=*/true});
    }
  }
}

void SimulatedCluster::Apply(const ApplyObject& apply) {
  const store::Key key = KeyOf(apply.document);
  const bool is_new = !writer_.Exists(key);
  if (!is_new && apply.must_be_new) {
    Complain({ErrorCode::AlreadyExists, fmt::format("there is a {} already", store::ToText(key))});
  } else if (key.kind == "Node") {
    is_new ? AddNode(apply.document, kNoGroup, 0) : ReplaceNode(apply.document);
  } else if (key.kind == "Pod" && is_new) {
    AddPod(apply.document, nullptr);
  } else if (const Result<Value> written = writer_.Apply(apply.document); !written) {
    Complain(written.error());
  }
}

void SimulatedCluster::Delete(const store::Key& given) {
  // The namespace may be omitted for cluster-scoped kinds and for the default namespace.
  Value document = Value::Map();
  document.Set("kind", Value::String(given.kind));
  Value metadata = Value::Map();
  metadata.Set("name", Value::String(given.name));
  metadata.Set("namespace", Value::String(given.namespace_));
  document.Set("metadata", std::move(metadata));
  const store::Key key = KeyOf(document);
  if (key.kind == "Node") {
    Leave(key.name, NodeExit::Remove, Duration::zero(), std::nullopt);
  } else if (SimulatedPod* pod = key.kind == "Pod" ? pods_.Find(key) : nullptr) {
    DeletePod(*pod, /*may_replace=*/true);
  } else if (const Result<void> deleted = writer_.Delete(key); !deleted) {
    Complain(deleted.error());
  }
}

std::optional<Timestamp> SimulatedCluster::NextTimer() const {
  return timers_.empty() ? std::nullopt : std::optional(timers_.begin()->first);
}

void SimulatedCluster::DoWhatIsDue() {
  while (!timers_.empty() && timers_.begin()->first <= clock_.Now()) {
    const Timer timer = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    if (const auto* ends = std::get_if<PodEnds>(&timer)) {
      SimulatedPod& pod = pods_.at(ends->pod);
      if (pod.state == SimulatedPod::State::Running) EndPod(pod, PodFate::Ended);
    } else if (const auto* collected = std::get_if<PodIsCollected>(&timer)) {
      SimulatedPod& pod = pods_.at(collected->pod);
      if (pod.state == SimulatedPod::State::Stranded) EndPod(pod, PodFate::Lost);
    } else if (const auto* returns = std::get_if<NodeReturns>(&timer)) {
      Return(*returns);
    }
  }
}

void SimulatedCluster::Complain(const Error& error) {
  statistics_.Say(fmt::format("at {}: {}", DurationText(clock_.Now() - start_), error.message));
}

SimulatedCluster::Node SimulatedCluster::Learn(const Value& document) const {
  api::DecodeErrors errors;
  const auto decoded = api::Decode<api::Node>(document, errors);
  Node node;
  node.size.allocatable = framework::ResourceAmounts::From(decoded.allocatable, names_);
  framework::NodeInfo info;
  info.SetNode(std::make_shared<const api::Node>(decoded), names_);
  node.size.pods = info.allowed_pods;
  node.cordoned = decoded.unschedulable;
  return node;
}

void SimulatedCluster::AddNodeOf(uint32_t group) {
  const uint64_t ordinal = ++nodes_made_[group];
  AddNode(NodeDocument(scenario_.nodes[group], ordinal), group, ordinal);
}

void SimulatedCluster::AddNode(Value document, uint32_t group, uint64_t ordinal) {
  const Result<Value> created = writer_.Create(std::move(document));
  if (!created) return Complain(created.error());
  const std::string name = KeyOf(*created).name;
  Node node = Learn(*created);
  node.group = group;
  node.ordinal = ordinal;
  statistics_.NodeIsThere(node.size);
  statistics_.Note(NodeEvent::What::Joined, name, 0);
  if (group != kNoGroup) groups_[group].emplace(ordinal, name);
  nodes_.insert_or_assign(name, std::move(node));
}

void SimulatedCluster::ReplaceNode(const Value& document) {
  const Result<Value> written = writer_.Apply(document);
  if (!written) return Complain(written.error());
  Node& node = nodes_.find(KeyOf(*written).name)->second;
  Node changed = Learn(*written);
  statistics_.NodeIsGone(node.size);
  statistics_.NodeIsThere(changed.size);
  node.size = std::move(changed.size);
  node.cordoned = changed.cordoned;
}

void SimulatedCluster::Leave(const std::string& name, NodeExit exit, Duration pods_gone_after,
                             std::optional<Duration> back) {
  const auto it = nodes_.find(name);
  if (it == nodes_.end()) return Complain(NoNode(name));
  const Node node = it->second;
  const std::vector<SimulatedPod*> pods = pods_.On(name);
  if (exit == NodeExit::Drain) {
    SetCordon(name, true);
    statistics_.Note(NodeEvent::What::Drained, name, pods.size());
    for (SimulatedPod* pod : pods) EndPod(*pod, PodFate::Evicted);
    if (back) After(*back, NodeReturns{name, {}, kNoGroup, 0});
    return;
  }
  const Result<Value> document = writer_.Read(NodeKey(name));
  if (const Result<void> deleted = writer_.Delete(NodeKey(name)); !deleted) return Complain(deleted.error());
  if (back && document) After(*back, NodeReturns{name, Reborn(*document), node.group, node.ordinal});
  statistics_.NodeIsGone(node.size);
  const bool killed = exit == NodeExit::Kill;
  statistics_.Note(killed ? NodeEvent::What::Died : NodeEvent::What::Left, name, pods.size());
  if (node.group != kNoGroup) groups_[node.group].erase(node.ordinal);
  nodes_.erase(it);
  for (SimulatedPod* pod : pods) {
    if (killed && pods_gone_after > Duration::zero()) {
      Strand(*pod, pods_gone_after);
    } else {
      EndPod(*pod, PodFate::Lost);
    }
  }
}

void SimulatedCluster::SetCordon(const std::string& name, bool on) {
  const auto it = nodes_.find(name);
  if (it == nodes_.end()) return Complain(NoNode(name));
  if (std::exchange(it->second.cordoned, on) == on) return;
  Result<Value> document = writer_.Read(NodeKey(name));
  if (!document) return Complain(document.error());
  Value& spec = MapIn(*document, "spec");
  if (on) {
    spec.Set("unschedulable", Value::Bool(true));
  } else {
    Drop(spec, "unschedulable");
  }
  if (const Result<Value> written = writer_.Apply(*std::move(document)); !written) Complain(written.error());
}

void SimulatedCluster::Return(const NodeReturns& returns) {
  if (!returns.document.is_null()) return AddNode(returns.document, returns.group, returns.ordinal);
  if (!HasNode(returns.node)) return;  // it was removed in the meantime
  SetCordon(returns.node, false);
  statistics_.Note(NodeEvent::What::Uncordoned, returns.node, 0);
}

std::vector<std::string> SimulatedCluster::NodesOf(uint32_t group, std::optional<bool> cordoned) const {
  std::vector<std::string> names;
  for (const auto& [ordinal, name] : groups_[group]) {
    if (!cordoned || nodes_.find(name)->second.cordoned == *cordoned) names.push_back(name);
  }
  return names;
}

std::optional<Duration> SimulatedCluster::LifetimeOf(uint32_t workload, uint64_t ordinal) const {
  const std::optional<Span>& lifetime = scenario_.workloads[workload].lifetime;
  if (!lifetime) return std::nullopt;
  // The nth pod has the same lifetime whatever else happens.
  Rng rng(SeedFor(seed_, "lifetime " + scenario_.workloads[workload].name, ordinal));
  return Draw(*lifetime, rng);
}

SimulatedCluster::PodShape SimulatedCluster::ShapeOf(const Value& document) {
  api::DecodeErrors errors;
  const auto pod = std::make_shared<const api::Pod>(api::Decode<api::Pod>(document, errors));
  PodShape shape;
  shape.requests =
      std::make_shared<const framework::ResourceAmounts>(framework::MakePodInfo(pod, names_)->traits->requests);
  shape.node = pod->node_name;
  shape.takes_part = !pod->is_finished();
  shape.has_ephemeral_volumes = std::ranges::any_of(pod->spec->volumes, [](const api::Volume& volume) {
    return std::holds_alternative<api::EphemeralVolume>(volume.source);
  });
  if (!shape.takes_part || !pod->node_name.empty()) return shape;
  const std::string& scheduler = pod->spec->scheduler_name;
  if (pod->is_terminating()) {
    shape.takes_part = false;
  } else if (!served_.contains(scheduler)) {
    shape.takes_part = false;
    if (unserved_.insert(scheduler).second) {
      statistics_.Say(fmt::format("pods of scheduler {}, which no profile has, are left alone: {} for one", scheduler,
                                  pod->meta.Key()));
    }
  }
  return shape;
}

void SimulatedCluster::AddPodOf(uint32_t workload) {
  const uint64_t ordinal = ++pods_made_[workload];
  const Workload& from = scenario_.workloads[workload];
  Value document = PodDocument(from, NameOf(from, ordinal));
  if (!shapes_[workload]) shapes_[workload] = ShapeOf(document);
  SimulatedPod* pod = AddPod(std::move(document), &*shapes_[workload]);
  if (pod == nullptr) return;
  pod->workload = workload;
  pod->ordinal = ordinal;
  pod->lifetime = LifetimeOf(workload, ordinal);
  statistics_.PodArrived(*pod);
}

// Null when the pod was not created, is ignored, or already has a node.
SimulatedPod* SimulatedCluster::AddPod(Value document, const PodShape* known) {
  const Result<Value> created = writer_.Create(std::move(document));
  if (!created) {
    Complain(created.error());
    return nullptr;
  }
  const PodShape shape = known != nullptr ? *known : ShapeOf(*created);
  if (!shape.takes_part) return nullptr;
  SimulatedPod& pod = pods_.Add(KeyOf(*created));
  pod.uid = created->Find("metadata")->Find("uid")->text();
  pod.requests = shape.requests;
  pod.arrived = clock_.Now();
  if (shape.has_ephemeral_volumes) AddEphemeralClaims(pod, *created);
  if (!shape.node.empty()) {
    pods_.Bind(pod, shape.node);
    statistics_.PodWasThere(pod);
    return nullptr;
  }
  if (known == nullptr) statistics_.PodArrived(pod);
  return &pod;
}

void SimulatedCluster::PodWasBound(const store::Key& key, const std::string& uid, const std::string& node) {
  SimulatedPod* pod = pods_.Find(key);
  if (pod == nullptr || pod->uid != uid || pod->state != State::Pending) return;
  pods_.Bind(*pod, node);
  statistics_.PodBound(*pod);
  pod->bound = clock_.Now();
  if (!HasNode(node)) return Strand(*pod, kCollectedAfter);
  // A pod that was evicted at the same moment does not start; that is no error.
  const Result<void> runs = writer_.SetPhase(key, "Running");
  if (!runs && runs.error().code != ErrorCode::NotFound) Complain(runs.error());
  if (pod->lifetime) After(*pod->lifetime, PodEnds{pod->number});
}

void SimulatedCluster::PodWasDeleted(const store::Key& key, const std::string& uid) {
  SimulatedPod* pod = pods_.Find(key);
  if (pod != nullptr && pod->uid == uid) EndPod(*pod, PodFate::Preempted);
}

void SimulatedCluster::DeletePod(SimulatedPod& pod, bool may_replace) { EndPod(pod, PodFate::Deleted, may_replace); }

void SimulatedCluster::EndPod(SimulatedPod& pod, PodFate fate, bool may_replace) {
  const State before = pod.state;
  pods_.End(pod);
  statistics_.PodIsOver(pod, before, fate);
  const bool in_workload = pod.workload != SimulatedPod::kNoWorkload;
  const bool stays =
      fate == PodFate::Ended && in_workload && scenario_.workloads[pod.workload].end == Workload::End::Succeed;
  if (fate != PodFate::Preempted) {
    const Result<void> written = stays ? writer_.SetPhase(pod.key, "Succeeded") : writer_.Delete(pod.key);
    if (!written) Complain(written.error());
  }
  if (!stays) DeleteEphemeralClaims(pod);
  if (fate != PodFate::Ended && may_replace && in_workload && scenario_.workloads[pod.workload].restart) Replace(pod);
}

// An existing claim may belong to a pod from a file; if not, the scheduler reports the problem.
void SimulatedCluster::AddEphemeralClaims(const SimulatedPod& pod, const Value& document) {
  for (Value& claim : EphemeralClaimsOf(document)) {
    const store::Key key = KeyOf(claim);
    if (!writer_.Exists(key) && writer_.Create(std::move(claim))) ephemeral_claims_[pod.number].push_back(key);
  }
}

void SimulatedCluster::DeleteEphemeralClaims(const SimulatedPod& pod) {
  const auto claims = ephemeral_claims_.extract(pod.number);
  if (claims.empty()) return;
  for (const store::Key& claim : claims.mapped()) {
    if (const Result<void> deleted = writer_.Delete(claim); !deleted) Complain(deleted.error());
  }
}

// Creates a replacement, as a controller would.
void SimulatedCluster::Replace(const SimulatedPod& gone) {
  const Workload& workload = scenario_.workloads[gone.workload];
  const uint32_t replaced = gone.replaced + 1;
  const std::string name = fmt::format("{}-r{}", NameOf(workload, gone.ordinal), replaced);
  SimulatedPod* pod = AddPod(PodDocument(workload, name), &*shapes_[gone.workload]);
  if (pod == nullptr) return;
  pod->workload = gone.workload;
  pod->ordinal = gone.ordinal;
  pod->replaced = replaced;
  pod->lifetime = gone.lifetime;
  statistics_.PodArrived(*pod);
  statistics_.PodReplaced(*pod);
}

void SimulatedCluster::Strand(SimulatedPod& pod, Duration until_collected) {
  statistics_.PodStranded(pod);
  pods_.Strand(pod);
  After(until_collected, PodIsCollected{pod.number});
}

void SimulatedCluster::RemoveGates(const SimulatedPod& pod, const std::string& gate) {
  if (pod.state != State::Pending) return;
  Result<Value> document = writer_.Read(pod.key);
  if (!document) return Complain(document.error());
  Value* spec = Find(*document, "spec");
  Value* gates = spec == nullptr ? nullptr : Find(*spec, "schedulingGates");
  if (gates == nullptr || !gates->is_list()) return;
  const size_t removed = std::erase_if(gates->mutable_items(), [&](const Value& item) {
    const Value* name = item.Find("name");
    return gate.empty() || (name != nullptr && name->text() == gate);
  });
  if (removed == 0) return;
  if (gates->items().empty()) {
    std::erase_if(spec->mutable_members(), [](const Value::Member& member) { return member.key == "schedulingGates"; });
  }
  if (const Result<Value> written = writer_.Apply(*std::move(document)); !written) Complain(written.error());
}

}  // namespace berth::simulator
