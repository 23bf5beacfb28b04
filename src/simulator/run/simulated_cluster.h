// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/manifest.h"
#include "base/result.h"
#include "base/string_map.h"
#include "simulator/run/cluster_writer.h"
#include "simulator/run/run_statistics.h"
#include "simulator/run/simulated_pods.h"
#include "simulator/scenario/scenario.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace berth::simulator {

// The simulated cluster except its scheduler: nodes that join and leave, users who create pods, pods that run and end.
// Changes are written through a ClusterWriter and counted. A change that fails is noted, and the run continues.
//
// Nodes are ideal: a pod runs as soon as it is bound, and ends on time. One thread.
class SimulatedCluster {
 public:
  // The scenario, the writer and the clock must outlive the cluster. `served` are the scheduler names of the profiles.
  SimulatedCluster(const Scenario& scenario, uint64_t seed, StringSet served, ClusterWriter& writer,
                   const Clock& clock);
  SimulatedCluster(const SimulatedCluster&) = delete;
  SimulatedCluster& operator=(const SimulatedCluster&) = delete;

  // Creates the initial objects.
  void Begin(const api::Manifests& objects);

  // Nodes.
  void AddNodeOf(uint32_t group);
  // `back` is the time after which the node rejoins or, if drained, is uncordoned; absent means never.
  void Leave(const std::string& node, NodeExit exit, Duration pods_gone_after, std::optional<Duration> back);
  void SetCordon(const std::string& node, bool on);
  bool HasNode(std::string_view name) const { return nodes_.contains(name); }
  // The group's existing nodes in order of their numbers; with `cordoned`, only those that are cordoned, or are not.
  std::vector<std::string> NodesOf(uint32_t group, std::optional<bool> cordoned = {}) const;

  // Pods.
  void AddPodOf(uint32_t workload);
  void DeletePod(SimulatedPod& pod, bool may_replace);
  void RemoveGates(const SimulatedPod& pod, const std::string& gate);
  void PodWasBound(const store::Key& key, const std::string& uid, const std::string& node);
  void PodWasDeleted(const store::Key& key, const std::string& uid);  // by the scheduler

  // Any object.
  void Apply(const ApplyObject& apply);
  void Delete(const store::Key& key);

  // Delayed consequences of earlier events.
  std::optional<Timestamp> NextTimer() const;
  void DoWhatIsDue();

  SimulatedPods& pods() { return pods_; }
  RunStatistics& statistics() { return statistics_; }
  void Complain(const Error& error);

 private:
  struct PodEnds {
    size_t pod = 0;
  };
  struct PodIsCollected {
    size_t pod = 0;
  };
  struct NodeReturns {
    std::string node;
    api::Value document;  // null when the node is only uncordoned
    uint32_t group = kNoGroup;
    uint64_t ordinal = 0;
  };
  using Timer = std::variant<PodEnds, PodIsCollected, NodeReturns>;

  static constexpr uint32_t kNoGroup = UINT32_MAX;
  struct Node {
    NodeSize size;
    uint32_t group = kNoGroup;
    uint64_t ordinal = 0;
    bool cordoned = false;
  };
  // What pods of one template have in common.
  struct PodShape {
    std::shared_ptr<const framework::ResourceAmounts> requests;
    std::string node;
    bool takes_part = true;
    bool has_ephemeral_volumes = false;
  };

  void AddNode(api::Value document, uint32_t group, uint64_t ordinal);
  Node Learn(const api::Value& document) const;
  void ReplaceNode(const api::Value& document);
  void Return(const NodeReturns& returns);

  SimulatedPod* AddPod(api::Value document, const PodShape* shape);
  PodShape ShapeOf(const api::Value& document);
  void EndPod(SimulatedPod& pod, PodFate fate, bool may_replace = true);
  void AddEphemeralClaims(const SimulatedPod& pod, const api::Value& document);
  void DeleteEphemeralClaims(const SimulatedPod& pod);
  void Replace(const SimulatedPod& gone);
  void Strand(SimulatedPod& pod, Duration until_collected);
  std::optional<Duration> LifetimeOf(uint32_t workload, uint64_t ordinal) const;

  void After(Duration wait, Timer timer) { timers_.emplace(clock_.Now() + wait, std::move(timer)); }

  const Scenario& scenario_;
  const uint64_t seed_;
  const StringSet served_;
  ClusterWriter& writer_;
  const Clock& clock_;
  const Timestamp start_;
  mutable framework::ResourceNames names_;
  RunStatistics statistics_;
  SimulatedPods pods_;
  StringMap<Node> nodes_;
  std::vector<std::map<uint64_t, std::string>> groups_;         // existing nodes, by number
  std::vector<uint64_t> nodes_made_;                            // by group
  std::vector<uint64_t> pods_made_;                             // by workload
  std::vector<std::optional<PodShape>> shapes_;                 // by workload
  std::map<size_t, std::vector<store::Key>> ephemeral_claims_;  // by pod number
  std::multimap<Timestamp, Timer> timers_;
  StringSet unserved_;  // scheduler names already noted
};

}  // namespace berth::simulator
