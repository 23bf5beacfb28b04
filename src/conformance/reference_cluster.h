// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "api/value.h"
#include "base/clock.h"
#include "base/result.h"
#include "config/profile_plan.h"
#include "conformance/image_history.h"
#include "framework/registry.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace berth::conformance {

// The cluster of a journey kept as a plain list of objects, and judged the naive way: for every question a cluster is
// made afresh from the list, plugins are built anew and asked about one node after the other. Slow, and nothing is
// remembered from one question to the next that could be wrong.
class ReferenceCluster {
 public:
  // `config` is a KubeSchedulerConfiguration, or null for the default one. The clock outlives the cluster.
  static Result<std::unique_ptr<ReferenceCluster>> Make(const api::Value* config, const framework::Registry& registry,
                                                        const Clock& clock);

  void Set(const api::Object& object);
  void Remove(const api::Object& object);

  // To be called before each pod is judged.
  void BeginCycle() { images_.BeginCycle(); }
  // Judges a pod, in the shape of a golden case's `expect`.
  api::Value Judge(const api::PodPtr& pod) const;
  // Asks every waiting pod what a change means to it: the pods' keys with what EvaluateHints says of each. Either
  // object may be null.
  api::Value Hints(const std::vector<api::PodPtr>& waiting, const api::Object* before, const api::Object* after) const;

 private:
  struct Afresh;

  ReferenceCluster(config::ProfilePlan plan, const framework::Registry& registry, const Clock& clock);
  void SetPod(const api::PodPtr& pod);
  void RemovePod(const std::string& key);
  std::unique_ptr<Afresh> MakeAfresh() const;

  config::ProfilePlan plan_;
  const Clock& clock_;
  ImageHistory images_;
  framework::Registry registry_;
  std::map<std::string, api::NodePtr> nodes_;
  // The order in which pods stand on a node shows among victims that are otherwise equal, so it is kept as upstream
  // keeps it: the last pod takes the place of one that goes. Also for nodes that are not there.
  std::map<std::string, std::vector<api::PodPtr>> pods_of_node_;
  std::vector<api::PodPtr> nominated_;                                  // in order of promise
  std::map<std::pair<std::string, std::string>, api::Object> objects_;  // by kind and key
};

}  // namespace berth::conformance
