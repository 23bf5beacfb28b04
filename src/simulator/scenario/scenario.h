// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/clock.h"
#include "simulator/scenario/span.h"
#include "store/record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// What happens in a simulated cluster, and when. Times are relative to the scenario's start. docs/guides/simulate.md
// describes the document.
namespace berth::simulator {

// When nodes, pods or failures of one kind arrive: all at once, at a fixed interval, or as a Poisson process.
struct Arrivals {
  Duration from{};
  std::optional<Duration> until;   // exclusive
  std::optional<Duration> every;   // a fixed interval
  std::optional<double> per_hour;  // a mean rate
  std::optional<uint64_t> count;   // total number
  uint64_t batch = 1;              // number per arrival time
  bool at_once() const { return !every && !per_hour; }
  bool endless() const { return !at_once() && !until && !count; }
};

// Nodes made from one template, named "name-1", "name-2", ….
struct NodeGroup {
  std::string name;
  api::Value node;                 // a Node document without a name
  std::vector<std::string> zones;  // assigned round-robin
  Arrivals join;                   // has a count
};

// Pods made from one template, named "name-1", "name-2", ….
struct Workload {
  enum class End : uint8_t { Succeed, Delete };
  std::string name;
  api::Value pod;  // a Pod document without a name
  Arrivals arrivals;
  std::optional<Span> lifetime;  // from binding on; absent: for ever
  End end = End::Succeed;
  bool restart = false;  // a pod that is preempted, evicted, deleted or lost with its node is replaced
};

// How a node leaves.
enum class NodeExit : uint8_t {
  Remove,  // the node and its pods are deleted
  Kill,    // the node is deleted, and its pods some time later
  Drain,   // the node is cordoned, and its pods are deleted
};

// Nodes that fail at random.
struct NodeFailures {
  uint32_t group = 0;  // index of the node group
  NodeExit exit = NodeExit::Kill;
  Arrivals times;
  Duration pods_gone_after{};  // after Kill
  std::optional<Span> rejoin;  // time until the node is back; absent: never
};

// A node by name, or random nodes of a group.
struct NodeTarget {
  std::string name;  // empty: use the group
  std::optional<uint32_t> group;
  uint64_t count = 1;
};

// A pod by name, or all pods of a workload.
struct PodTarget {
  std::string key;  // namespace/name; empty: use the workload
  std::optional<uint32_t> workload;
};

// The actions of scripted events.
struct AddNodes {
  uint32_t group = 0;
  uint64_t count = 1;
};
struct AddPods {
  uint32_t workload = 0;
  uint64_t count = 1;
};
struct ExitNode {
  NodeTarget target;
  NodeExit exit = NodeExit::Remove;
  Duration pods_gone_after{};
  std::optional<Span> rejoin;
};
struct CordonNode {
  NodeTarget target;
  bool on = true;
};
struct DeletePod {
  PodTarget target;
};
struct ScaleWorkload {
  uint32_t workload = 0;
  uint64_t replicas = 0;
};
struct Ungate {
  PodTarget target;
  std::string gate;  // empty: all gates
};
struct ApplyObject {
  api::Value document;  // creates the object or replaces the one of that name
  bool must_be_new = false;
};
struct DeleteObject {
  store::Key key;
};
using EventAction =
    std::variant<AddNodes, AddPods, ExitNode, CordonNode, DeletePod, ScaleWorkload, Ungate, ApplyObject, DeleteObject>;

struct ScriptedEvent {
  Duration at{};
  EventAction action;
};

// How long the volume controller takes.
struct VolumeDelays {
  Duration bind{};       // to bind a claim to an existing volume
  Duration provision{};  // to provision a volume
};

struct Scenario {
  std::string name;
  uint64_t seed = 0;
  std::optional<Timestamp> start;    // absent: the latest time its objects mention, or 2026-01-01T00:00:00Z
  std::optional<Duration> duration;  // absent: until nothing more happens
  std::vector<NodeGroup> nodes;
  std::vector<Workload> workloads;
  std::vector<NodeFailures> failures;
  std::vector<ScriptedEvent> events;
  VolumeDelays volume_delays;
  std::vector<api::Value> objects;        // the initial objects
  std::vector<std::string> files;         // with more initial objects; paths as written in the scenario
  api::Value document;                    // what it was decoded from
  std::vector<std::string> custom_kinds;  // kinds that objects may have besides those with a type
};

}  // namespace berth::simulator
