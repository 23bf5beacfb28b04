// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::simulator {

// Pods of one workload, or of all.
struct PodCounts {
  uint64_t arrived = 0;  // without a node, including replacements
  uint64_t bound = 0;
  uint64_t ended = 0;      // reached the end of their lifetime
  uint64_t preempted = 0;  // evicted by the scheduler
  uint64_t evicted = 0;    // by a drain
  uint64_t lost = 0;       // with their node
  uint64_t deleted = 0;    // by an event
  uint64_t replaced = 0;   // created to replace one of the previous four
  uint64_t running = 0;    // at the end
  uint64_t pending = 0;    // at the end, not counting gated ones
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

// How much of one resource is requested, relative to what is allocatable.
struct RunUse {
  std::string resource;  // "pods" counts pods
  double average = 0;    // requested share of allocatable, weighted by time; may exceed 1
  double peak = 0;
  Timestamp peak_at;
  double requested = 0;    // mean amount, in the scheduler's units
  double allocatable = 0;  // the same
};

// Counts of what happened to pods.
struct Happenings {
  uint64_t arrived = 0;
  uint64_t bound = 0;
  uint64_t ended = 0;
  uint64_t disrupted = 0;  // preempted, evicted or lost
  void Add(const Happenings& other);
};

// One interval of the run.
struct TimelineEntry {
  Timestamp from;
  uint64_t nodes = 0;  // at its end
  uint64_t running = 0;
  uint64_t pending = 0;   // including gated ones
  Happenings happenings;  // during it
  double cpu = 0;         // mean requested share
  double memory = 0;
};

// Why attempts failed: the plugins that rejected the pod, or another cause.
struct PendingReason {
  std::string reason;     // "NodeResourcesFit", "NodeAffinity, TaintToleration", "error"
  uint64_t attempts = 0;  // that failed for this reason
  uint64_t pods = 0;      // affected
  uint64_t pending = 0;   // pods whose last attempt failed for this reason and that are pending at the end
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

// Nodes to which the same thing happened at the same time.
struct NodeEvent {
  enum class What : uint8_t { Joined, Left, Died, Drained, Cordoned, Uncordoned };
  Timestamp at;
  What what = What::Joined;
  std::vector<std::string> nodes;
  uint64_t pods = 0;  // that were on them
};
std::string_view NameOf(NodeEvent::What what);

// The outcome of a scenario.
struct RunReport {
  std::string scenario;
  uint64_t seed = 0;
  Timestamp start;
  Timestamp end;
  uint64_t nodes = 0;  // at the end
  double node_hours = 0;
  uint64_t attempts = 0;  // number of decisions
  PodCounts pods;
  LatencySummary latency;
  std::vector<WorkloadReport> workloads;
  Duration timeline_step{};
  std::vector<TimelineEntry> timeline;
  std::vector<RunUse> utilisation;
  std::vector<PendingReason> reasons;  // most frequent first
  std::vector<PendingPod> pending;     // longest pending first
  std::vector<NodeEvent> node_events;
  std::vector<std::string> notes;  // failed actions of the scenario, warnings, and problems of the scheduler
};

}  // namespace berth::simulator
