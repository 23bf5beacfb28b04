// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::simulator {

// Pods of one workload, or of all.
struct PodCounts {
  uint64_t arrived = 0;  // came without a node, replacements included
  uint64_t bound = 0;
  uint64_t ended = 0;      // lived their life
  uint64_t preempted = 0;  // evicted by the scheduler
  uint64_t evicted = 0;    // by a drain
  uint64_t lost = 0;       // with their node
  uint64_t deleted = 0;    // by an event
  uint64_t replaced = 0;   // came for one of the latter
  uint64_t running = 0;    // at the end
  uint64_t pending = 0;    // at the end, gated ones not counted
  uint64_t gated = 0;      // at the end
};

// From arrival to binding, over the pods that were bound.
struct LatencySummary {
  uint64_t pods = 0;
  Duration p50{};
  Duration p90{};
  Duration p99{};
  Duration max{};
};

struct WorkloadReport {
  std::string workload;  // empty: pods of no workload
  PodCounts pods;
  LatencySummary latency;
};

// What is requested of how much there is, of one resource.
struct RunUse {
  std::string resource;  // "pods" counts pods
  double average = 0;    // share of what there was, from 0 to 1 and beyond; weighed by time
  double peak = 0;
  Timestamp peak_at;
  double requested = 0;    // mean amount, in the units scheduling counts in
  double allocatable = 0;  // the same
};

// How many pods had what happen to them.
struct Happenings {
  uint64_t arrived = 0;
  uint64_t bound = 0;
  uint64_t ended = 0;
  uint64_t disrupted = 0;  // preempted, evicted or lost
  void Add(const Happenings& other);
};

// One stretch of the run.
struct TimelineEntry {
  Timestamp from;
  uint64_t nodes = 0;  // at its end
  uint64_t running = 0;
  uint64_t pending = 0;   // gated ones included
  Happenings happenings;  // during it
  double cpu = 0;         // mean share that was requested
  double memory = 0;
};

// Why attempts failed: plugins that rejected the pod, or what else kept it from being placed.
struct PendingReason {
  std::string reason;     // "NodeResourcesFit", "NodeAffinity, TaintToleration", "error"
  uint64_t attempts = 0;  // that failed so
  uint64_t pods = 0;      // that met it
  uint64_t pending = 0;   // of them, pods whose last attempt failed so and that are pending at the end
  std::string message;    // of the latest attempt
};

struct PendingPod {
  std::string pod;
  std::string workload;
  Timestamp arrived;
  int attempts = 0;
  bool gated = false;
  std::string reason;
  std::string message;
};

// Nodes that had the same happen to them at the same moment.
struct NodeEvent {
  enum class What : uint8_t { Joined, Left, Died, Drained, Cordoned, Uncordoned };
  Timestamp at;
  What what = What::Joined;
  std::vector<std::string> nodes;
  uint64_t pods = 0;  // that were on them
};
std::string_view NameOf(NodeEvent::What what);

// What came of a scenario.
struct RunReport {
  std::string scenario;
  uint64_t seed = 0;
  Timestamp start;
  Timestamp end;
  uint64_t nodes = 0;  // at the end
  double node_hours = 0;
  uint64_t attempts = 0;  // decisions, that is
  PodCounts pods;
  LatencySummary latency;
  std::vector<WorkloadReport> workloads;
  Duration timeline_step{};
  std::vector<TimelineEntry> timeline;
  std::vector<RunUse> utilisation;
  std::vector<PendingReason> reasons;  // the most frequent first
  std::vector<PendingPod> pending;     // the longest waiting first
  std::vector<NodeEvent> node_events;
  std::vector<std::string>
      notes;  // what the scenario asked for and could not have, and what the scheduler could not do
};

}  // namespace berth::simulator
