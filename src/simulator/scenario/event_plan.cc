// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/event_plan.h"

#include "base/check.h"
#include "base/hash.h"

#include <algorithm>
#include <functional>

namespace berth::simulator {

uint64_t SeedFor(uint64_t seed, std::string_view purpose, uint64_t number) {
  return Rng(Rng(seed ^ Fnv1a(purpose)).Next() + number).Next();
}

EventPlan::EventPlan(const Scenario& scenario, uint64_t seed) {
  const auto add = [&](const PlannedAction& action, const Arrivals& times, const std::string& purpose) {
    sources_.push_back(
        {action, ArrivalTimes(times, SeedFor(seed, purpose + " times")), Rng(SeedFor(seed, purpose + " chances"))});
  };
  for (uint32_t i = 0; i < scenario.nodes.size(); ++i) {
    add(NodeJoins{i}, scenario.nodes[i].join, "node group " + scenario.nodes[i].name);
  }
  script_source_ = sources_.size();
  add(EventHappens{}, {}, "script");
  for (const ScriptedEvent& event : scenario.events) {
    script_.push_back({&event, sources_[script_source_].chances.Next()});
  }
  std::ranges::stable_sort(script_, {}, [](const EventHappens& happens) { return happens.event->at; });
  for (size_t i = 0; i < scenario.failures.size(); ++i) {
    const NodeFailures& failures = scenario.failures[i];
    add(NodeFails{&failures, 0}, failures.times, "failures " + std::to_string(i));
  }
  for (uint32_t i = 0; i < scenario.workloads.size(); ++i) {
    add(PodArrives{i}, scenario.workloads[i].arrivals, "workload " + scenario.workloads[i].name);
  }
  for (size_t i = 0; i < sources_.size(); ++i) Queue(i);
}

std::optional<Duration> EventPlan::TimeOf(size_t source) const {
  if (source != script_source_) return sources_[source].times.next();
  return script_done_ < script_.size() ? std::optional(script_[script_done_].event->at) : std::nullopt;
}

void EventPlan::Queue(size_t source) {
  const std::optional<Duration> at = TimeOf(source);
  if (!at) return;
  turns_.push_back({*at, source});
  std::ranges::push_heap(turns_, std::greater<>());
}

std::optional<Duration> EventPlan::next() const {
  return turns_.empty() ? std::nullopt : std::optional(turns_.front().at);
}

PlannedAction EventPlan::Take() {
  BERTH_CHECK(!turns_.empty());
  std::ranges::pop_heap(turns_, std::greater<>());
  const size_t number = turns_.back().source;
  turns_.pop_back();
  Source& source = sources_[number];
  PlannedAction action = source.action;
  if (number == script_source_) {
    action = script_[script_done_++];
  } else {
    if (auto* fails = std::get_if<NodeFails>(&action)) fails->chance = source.chances.Next();
    source.times.Advance();
  }
  Queue(number);
  return action;
}

}  // namespace berth::simulator
