// SPDX-License-Identifier: Apache-2.0
// What becomes of the pods of a simulated cluster.
#include "api/object.h"
#include "framework/pod_info.h"
#include "simulator/run/ephemeral_claims.h"
#include "simulator/run/world.h"
#include "simulator/scenario/event_plan.h"
#include "simulator/scenario/templates.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::simulator {

using api::Value;
using State = SimulatedPod::State;

namespace {

// How long pods whose node is gone stay when nothing says otherwise.
constexpr Duration kCollectedAfter = std::chrono::seconds(40);

Value* Find(Value& map, std::string_view key) { return const_cast<Value*>(map.Find(key)); }

}  // namespace

std::optional<Duration> World::LifetimeOf(uint32_t workload, uint64_t ordinal) const {
  const std::optional<Span>& lifetime = scenario_.workloads[workload].lifetime;
  if (!lifetime) return std::nullopt;
  // Whatever else happens, the nth pod lives as long.
  Rng rng(SeedFor(seed_, "lifetime " + scenario_.workloads[workload].name, ordinal));
  return Draw(*lifetime, rng);
}

World::PodShape World::ShapeOf(const Value& document) {
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

void World::AddPodOf(uint32_t workload) {
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

// Null when the pod takes no part.
SimulatedPod* World::AddPod(Value document, const PodShape* known) {
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

void World::PodWasBound(const store::Key& key, const std::string& uid, const std::string& node) {
  SimulatedPod* pod = pods_.Find(key);
  if (pod == nullptr || pod->uid != uid || pod->state != State::Pending) return;
  pods_.Bind(*pod, node);
  statistics_.PodBound(*pod);
  pod->bound = clock_.Now();
  if (!HasNode(node)) return Strand(*pod, kCollectedAfter);
  // A pod that was evicted at the same moment does not run, and that is nobody's mistake.
  const Result<void> runs = writer_.SetPhase(key, "Running");
  if (!runs && runs.error().code != ErrorCode::NotFound) Complain(runs.error());
  if (pod->lifetime) After(*pod->lifetime, PodEnds{pod->number});
}

void World::PodWasDeleted(const store::Key& key, const std::string& uid) {
  SimulatedPod* pod = pods_.Find(key);
  if (pod != nullptr && pod->uid == uid) EndPod(*pod, PodFate::Preempted);
}

void World::DeletePod(SimulatedPod& pod, bool may_replace) { EndPod(pod, PodFate::Deleted, may_replace); }

void World::EndPod(SimulatedPod& pod, PodFate fate, bool may_replace) {
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

// A claim that is there already may be that of a pod from a file; otherwise the scheduler says what is wrong with it.
void World::AddEphemeralClaims(const SimulatedPod& pod, const Value& document) {
  for (Value& claim : EphemeralClaimsOf(document)) {
    const store::Key key = KeyOf(claim);
    if (!writer_.Exists(key) && writer_.Create(std::move(claim))) ephemeral_claims_[pod.number].push_back(key);
  }
}

void World::DeleteEphemeralClaims(const SimulatedPod& pod) {
  const auto claims = ephemeral_claims_.extract(pod.number);
  if (claims.empty()) return;
  for (const store::Key& claim : claims.mapped()) {
    if (const Result<void> deleted = writer_.Delete(claim); !deleted) Complain(deleted.error());
  }
}

// Another pod for the same purpose, as a controller would create it.
void World::Replace(const SimulatedPod& gone) {
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

void World::Strand(SimulatedPod& pod, Duration until_collected) {
  statistics_.PodStranded(pod);
  pods_.Strand(pod);
  After(until_collected, PodIsCollected{pod.number});
}

void World::RemoveGates(const SimulatedPod& pod, const std::string& gate) {
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
