// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "api/value.h"
#include "base/clock.h"
#include "base/result.h"
#include "cluster/cluster_state.h"
#include "config/profile_plan.h"
#include "features/feature_gates.h"
#include "framework/registry.h"
#include "framework/silent_roles.h"
#include "queue/nominated_pods.h"
#include "runtime/profile.h"
#include "runtime/waiting_pod_table.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::conformance {

// The profiles of a KubeSchedulerConfiguration; null means the default configuration.
Result<std::vector<config::ProfilePlan>> PlansFor(const api::Value* config, const framework::Registry& registry,
                                                  const features::FeatureGates& gates = {});

// The gates of a map from names to booleans; null means the default ones.
Result<features::FeatureGates> GatesFrom(const api::Value* map);

// The cluster of one golden case and a profile to judge pods with. Whatever plugins write is discarded: golden pods are
// judged one by one against the same cluster.
class CaseCluster {
 public:
  // `config` is a KubeSchedulerConfiguration, or null for the default one. A null `clock` means the system clock. Of
  // `gates` those count that plugins read.
  static Result<std::unique_ptr<CaseCluster>> Make(const api::Value* config, const framework::Registry& registry,
                                                   const Clock* clock = nullptr,
                                                   const features::FeatureGates& gates = {});

  // Adds the cluster's objects in the order an API server lists them: nodes by name, pods by namespace and name. The
  // order decides which node determines an image's size, and which of otherwise equal victims is evicted.
  Result<void> Load(const api::Value& objects);
  // Adds or replaces an object of the cluster. A pod with a node runs there; a pod without one matters only through its
  // nomination.
  Result<void> Set(const api::Value& object);
  void Set(const api::Object& object);
  // `key` is namespace/name, or just the name for cluster-scoped kinds.
  void Remove(std::string_view kind, std::string_view key);
  void RemovePod(std::string_view key);  // namespace/name
  void Place(const framework::PodInfoPtr& pod, std::string_view node);

  Result<framework::PodInfoPtr> ReadPod(const api::Value& object);
  framework::PodInfoPtr Info(api::PodPtr pod) { return framework::MakePodInfo(std::move(pod), names_); }
  // Golden objects are written as an API server returns them.
  static Result<api::Object> ReadObject(const api::Value& object);
  const runtime::Profile& profile() const { return *profile_; }
  runtime::Profile& profile() { return *profile_; }
  const cluster::ClusterState& cluster() const { return cluster_; }
  // Judging a pod may clear nominations; this restores those of the case.
  void ResetNominations() { nominated_ = case_nominations_; }
  // Call before judging each pod.
  void BeginCycle() { cluster_.BeginCycle(); }

 private:
  explicit CaseCluster(const Clock* clock) : cluster_(names_), clock_(clock != nullptr ? clock : &system_clock_) {}

  framework::ResourceNames names_;
  cluster::ClusterState cluster_;
  queue::NominatedPods case_nominations_;
  queue::NominatedPods nominated_;
  framework::SilentRoles silent_;
  SystemClock system_clock_;
  const Clock* clock_;
  runtime::WaitingPodTable waiting_{*clock_};
  StringMap<std::string> uid_of_pod_;  // by namespace/name
  std::unique_ptr<runtime::Profile> profile_;
};

}  // namespace berth::conformance
