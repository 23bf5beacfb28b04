// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/clock.h"
#include "base/result.h"
#include "cluster/cluster_state.h"
#include "framework/registry.h"
#include "framework/writer.h"
#include "queue/nominated_pods.h"
#include "runtime/profile.h"
#include "runtime/waiting_pod_table.h"

#include <memory>
#include <string>
#include <string_view>

namespace berth::conformance {

// The cluster of one golden case and a profile to judge pods with. Nothing a plugin writes goes anywhere: golden pods
// are judged one by one against the same cluster.
class World {
 public:
  // `config` is a KubeSchedulerConfiguration, or null for the default one.
  static Result<std::unique_ptr<World>> Make(const api::Value* config, const framework::Registry& registry);

  // Adds the cluster's objects as lists from an API server would bring them: nodes sorted by name, pods by namespace
  // and name. The order decides which node tells an image's size, and among victims that are otherwise equal.
  Result<void> Load(const api::Value& objects);
  // Adds or replaces an object of the cluster. Pods with a node run there; pods without one matter only by their
  // nomination.
  Result<void> Set(const api::Value& object);
  void RemovePod(std::string_view key);  // namespace/name
  void Place(const framework::PodInfoPtr& pod, std::string_view node);

  Result<framework::PodInfoPtr> ReadPod(const api::Value& object);
  // Golden objects are as an API server returns them.
  static Result<api::Object> ReadObject(const api::Value& object);
  const runtime::Profile& profile() const { return *profile_; }
  runtime::Profile& profile() { return *profile_; }
  const cluster::ClusterState& cluster() const { return cluster_; }
  // Judging may take nominations back; every pod starts from those of the case.
  void ResetNominations() { nominated_ = case_nominations_; }
  // To be called before each pod is judged.
  void BeginCycle() { cluster_.BeginCycle(); }

 private:
  class Silent final : public framework::Writer, public framework::EventRecorder {
   public:
    Result<void> Bind(const api::Pod&, std::string_view) override { return {}; }
    Result<void> Evict(const api::Pod&, std::string_view, std::string_view) override { return {}; }
    Result<void> ClearNomination(const api::Pod&) override { return {}; }
    void Record(const api::Pod&, std::string_view, std::string_view, std::string_view, std::string) override {}
  };

  World() : cluster_(names_) {}

  framework::ResourceNames names_;
  cluster::ClusterState cluster_;
  queue::NominatedPods case_nominations_;
  queue::NominatedPods nominated_;
  Silent silent_;
  SystemClock clock_;
  runtime::WaitingPodTable waiting_{clock_};
  StringMap<std::string> uid_of_pod_;  // by namespace/name
  std::unique_ptr<runtime::Profile> profile_;
};

}  // namespace berth::conformance
