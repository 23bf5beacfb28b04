// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "api/value.h"
#include "conformance/cluster_shape.h"
#include "conformance/dice.h"
#include "conformance/random_pod.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::conformance {

// A change of one object, or a pod to be scheduled.
struct JourneyStep {
  bool schedules = false;
  std::optional<api::Object> before;  // the object as it was; absent when it is new
  std::optional<api::Object> after;   // absent when it is gone; the pod when one is scheduled
};

// A way to make room for a pod that fits no node: a node, and the pods to evict there.
struct Eviction {
  std::string node;
  std::vector<std::string> victims;  // namespace/name
};

// A random cluster that changes while pods arrive. The same seed and number give the same journey on every machine, as
// long as Resolve gets the same outcomes.
class RandomJourney {
 public:
  RandomJourney(uint64_t seed, uint64_t number);

  const std::optional<api::Value>& config() const { return config_; }
  // The cluster before the first step, in arbitrary order.
  std::vector<api::Object> Objects() const;

  // Nothing at the end of the journey. After a step that schedules, Resolve must be called.
  std::optional<JourneyStep> Next();
  // Reports the decision for the pod: the nodes it may go to, and if there are none, the evictions that would help.
  void Resolve(const std::vector<std::string>& nodes, const std::vector<Eviction>& evictions);

 private:
  using Key = std::pair<std::string, std::string>;  // kind and key

  JourneyStep ChangeNode();
  JourneyStep ChangeRunningPod();
  JourneyStep ChangeWaitingPod(const std::vector<api::PodPtr>& waiting);
  JourneyStep ChangeObject();
  void QueueSteps();
  api::PodPtr NewPod();
  void AddEphemeralClaims(const api::Pod& pod);
  void CarryOut(const Eviction& eviction);
  api::PodPtr FittedTo(const std::string& node, api::PodPtr pod) const;
  // Adds the object to the cluster, or removes it.
  JourneyStep Set(api::Object object);
  JourneyStep Remove(const api::Object& object);
  std::optional<api::Object> Find(const api::Object& like) const;
  std::vector<api::PodPtr> Pods(bool with_node) const;

  Dice dice_;
  ClusterShape shape_;
  std::optional<api::Value> config_;
  std::map<Key, api::Object> objects_;
  std::vector<PodTemplate> templates_;
  std::deque<JourneyStep> queued_;
  api::PodPtr scheduled_;
  size_t steps_left_ = 0;
  size_t burst_left_ = 0;
  size_t made_pods_ = 0;
};

}  // namespace berth::conformance
