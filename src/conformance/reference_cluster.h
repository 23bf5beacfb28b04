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

// The cluster of a journey as a plain list of objects, judged naively: for every question the cluster and the plugins
// are built from scratch, and plugins judge one node after the other. Slow, but no cached state can be wrong.
class ReferenceCluster {
 public:
  // `config` is a KubeSchedulerConfiguration, or null for the default one. The clock must outlive the cluster.
  static Result<std::unique_ptr<ReferenceCluster>> Make(const api::Value* config, const framework::Registry& registry,
                                                        const Clock& clock);

  void Set(const api::Object& object);
  void Remove(const api::Object& object);

  // Call before judging each pod.
  void BeginCycle() { images_.BeginCycle(); }
  // Judges a pod; the result has the form of a golden case's `expect`.
  api::Value Judge(const api::PodPtr& pod) const;
  // What a change means for every pending pod: the pods' namespace/name keys, each with the result of EvaluateHints.
  // Either object may be null.
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
  // The order of pods on a node decides among otherwise equal victims, so it is kept as upstream keeps it: the last pod
  // takes the place of a removed one. Includes nodes that do not exist.
  std::map<std::string, std::vector<api::PodPtr>> pods_of_node_;
  std::vector<api::PodPtr> nominated_;                                  // in order of nomination
  std::map<std::pair<std::string, std::string>, api::Object> objects_;  // by kind and key
};

}  // namespace berth::conformance
