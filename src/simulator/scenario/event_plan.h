// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/arrival_times.h"
#include "simulator/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace berth::simulator {

// What a scenario does next. Pointers point into the scenario.
struct NodeJoins {
  uint32_t group = 0;
};
struct PodArrives {
  uint32_t workload = 0;
};
struct NodeFails {
  const NodeFailures* failures = nullptr;
  uint64_t chance = 0;  // decides which node
};
struct EventHappens {
  const ScriptedEvent* event = nullptr;
  uint64_t chance = 0;  // decides which nodes of a group
};
using PlannedAction = std::variant<NodeJoins, PodArrives, NodeFails, EventHappens>;

// A scenario as one chronological list of actions, generated lazily because it may be endless. Simultaneous actions
// come in this order: nodes that join, events in the order of the file, failures, pods. Every source has its own random
// numbers, so that a change to one does not affect the others.
class EventPlan {
 public:
  // The scenario must outlive the plan.
  EventPlan(const Scenario& scenario, uint64_t seed);

  std::optional<Duration> next() const;
  PlannedAction Take();  // requires that next() has a value

 private:
  // One stream of like actions.
  struct Source {
    PlannedAction action;
    ArrivalTimes times;
    Rng chances;
  };

  std::optional<Duration> TimeOf(size_t source) const;
  void Queue(size_t source);

  std::vector<Source> sources_;
  size_t script_source_ = 0;          // the source whose times and actions come from script_
  std::vector<EventHappens> script_;  // by time
  size_t script_done_ = 0;

  struct Turn {
    Duration at{};
    size_t source = 0;
    friend auto operator<=>(const Turn&, const Turn&) = default;
  };
  std::vector<Turn> turns_;  // a heap with the next one in front
};

// A seed for one purpose, derived from the scenario's.
uint64_t SeedFor(uint64_t seed, std::string_view purpose, uint64_t number = 0);

}  // namespace berth::simulator
