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

// What happens in a simulated cluster, and when. Times are counted from the scenario's start. docs/guides/simulate.md
// describes the document it is read from.
namespace berth::simulator {

// When things of one sort come: all at once, at a fixed pace, or by chance at a mean rate.
struct Arrivals {
  Duration from{};
  std::optional<Duration> until;   // none come at this moment or later
  std::optional<Duration> every;   // a fixed pace
  std::optional<double> per_hour;  // a mean rate
  std::optional<uint64_t> count;   // so many in all
  uint64_t batch = 1;              // so many at each moment
  bool at_once() const { return !every && !per_hour; }
  bool endless() const { return !at_once() && !until && !count; }
};

// Nodes made from one template, named "name-1", "name-2", ….
struct NodeGroup {
  std::string name;
  api::Value node;                 // a Node document without a name
  std::vector<std::string> zones;  // dealt out in turn
  Arrivals join;                   // has a count
};

// Pods made from one template, named "name-1", "name-2", ….
struct Workload {
  enum class End : uint8_t { Succeed, Delete };
  std::string name;
  api::Value pod;  // a Pod document without a name
  Arrivals arrivals;
  std::optional<Span> lifetime;  // from binding on; none: for ever
  End end = End::Succeed;
  bool restart = false;  // a pod that is evicted or lost with its node is replaced
};

// How a node goes.
enum class NodeExit : uint8_t {
  Remove,  // the node and its pods are deleted
  Kill,    // the node is deleted, and its pods are, too, some time later
  Drain,   // the node takes no new pods, and those on it are deleted
};

// Nodes that go by chance.
struct NodeFailures {
  uint32_t group = 0;  // index of the node group
  NodeExit exit = NodeExit::Kill;
  Arrivals times;
  Duration pods_gone_after{};  // after Kill
  std::optional<Span> rejoin;  // how long after the node is back; none: never
};

// A node by its name, or some of a group, chosen by chance.
struct NodeTarget {
  std::string name;  // empty: of the group
  std::optional<uint32_t> group;
  uint64_t count = 1;
};

// A pod by its name, or all of a workload.
struct PodTarget {
  std::string key;  // namespace/name; empty: of the workload
  std::optional<uint32_t> workload;
};

// What an event of the script does.
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
  api::Value document;  // replaces the object of that name, or is new
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
  Duration bind{};       // to bind a claim to a volume that is there
  Duration provision{};  // to make a volume
};

struct Scenario {
  std::string name;
  uint64_t seed = 0;
  std::optional<Timestamp> start;    // none: the latest moment its objects mention, or 2026-01-01T00:00:00Z
  std::optional<Duration> duration;  // none: until nothing more happens
  std::vector<NodeGroup> nodes;
  std::vector<Workload> workloads;
  std::vector<NodeFailures> failures;
  std::vector<ScriptedEvent> events;
  VolumeDelays volume_delays;
  std::vector<api::Value> objects;        // there from the start
  std::vector<std::string> files;         // with more of them, as written in the scenario
  api::Value document;                    // what it was read from
  std::vector<std::string> custom_kinds;  // its objects may be of, besides those that Berth has types for
};

}  // namespace berth::simulator
