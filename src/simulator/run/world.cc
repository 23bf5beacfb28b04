// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/world.h"

#include "api/object.h"
#include "text/duration.h"

#include <utility>

#include <fmt/format.h>

namespace berth::simulator {

using api::Value;
using text::DurationText;

World::World(const Scenario& scenario, uint64_t seed, StringSet served, ClusterWriter& writer, const Clock& clock)
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

void World::Begin(const api::Manifests& objects) {
  // Pods come last: their priorities need the classes, and those on nodes need the nodes.
  for (const bool pods : {false, true}) {
    for (const api::Manifest& manifest : objects.objects) {
      const bool is_pod = std::holds_alternative<api::PodPtr>(manifest.object);
      if (is_pod == pods) Apply({manifest.document, /*must_be_new=*/true});
    }
  }
}

void World::Apply(const ApplyObject& apply) {
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

void World::Delete(const store::Key& given) {
  // The namespace may be left out for kinds that have none, and for the default one.
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

std::optional<Timestamp> World::NextTimer() const {
  return timers_.empty() ? std::nullopt : std::optional(timers_.begin()->first);
}

void World::DoWhatIsDue() {
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

void World::Complain(const Error& error) {
  statistics_.Say(fmt::format("at {}: {}", DurationText(clock_.Now() - start_), error.message));
}

}  // namespace berth::simulator
