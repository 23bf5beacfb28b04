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

// What a scenario does next. Pointers are into the scenario.
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

// A scenario as one ordered list of moments, unrolled as it is read: it may have no end. What comes at the same moment
// comes in this order: nodes that join, events in the order of the file, failures, pods. Every source has chances of
// its own, so that a change to one leaves the others alone.
class EventPlan {
 public:
  // The scenario outlives the plan.
  EventPlan(const Scenario& scenario, uint64_t seed);

  std::optional<Duration> next() const;
  PlannedAction Take();  // what comes next; there must be something

 private:
  // One sort of things.
  struct Source {
    PlannedAction action;
    ArrivalTimes times;
    Rng chances;
  };

  std::optional<Duration> TimeOf(size_t source) const;
  void Queue(size_t source);

  std::vector<Source> sources_;
  size_t script_source_ = 0;          // the one whose times and actions are those of `script_`
  std::vector<EventHappens> script_;  // by time
  size_t script_done_ = 0;

  struct Turn {
    Duration at{};
    size_t source = 0;
    friend auto operator<=>(const Turn&, const Turn&) = default;
  };
  std::vector<Turn> turns_;  // a heap, the next one first
};

// A seed for one purpose, drawn from the scenario's.
uint64_t SeedFor(uint64_t seed, std::string_view purpose, uint64_t number = 0);

}  // namespace berth::simulator
