// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/manifest.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/string_map.h"
#include "cluster/cluster_state.h"
#include "config/profile_plan.h"
#include "framework/extension_points/queue_sort.h"
#include "framework/pod_info.h"
#include "framework/registry.h"
#include "log/logger.h"
#include "queue/nominated_pods.h"
#include "runtime/profile.h"
#include "runtime/waiting_pod_table.h"
#include "simulator/recording_writer.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::simulator {

// A pod that takes no part, and why.
struct IgnoredPod {
  std::string pod;
  std::string reason;
};

// A cluster made from objects in files, alive: profiles are built over it and pods can be placed. Time stands still at
// the latest moment the objects mention, so that equal files give equal answers.
//
// One thread at a time.
class DescribedCluster {
 public:
  // Pods with a node are placed, as an API list would bring them: sorted by namespace and name. `plans` holds one plan
  // per profile; all have the same feature gates. Fails when a profile cannot be built.
  static Result<std::unique_ptr<DescribedCluster>> Make(const api::Manifests& manifests,
                                                        std::vector<config::ProfilePlan> plans,
                                                        const framework::Registry& registry,
                                                        const log::Logger& log = {});
  DescribedCluster(const DescribedCluster&) = delete;
  DescribedCluster& operator=(const DescribedCluster&) = delete;

  cluster::ClusterState& cluster() { return cluster_; }
  const cluster::ClusterState& cluster() const { return cluster_; }
  queue::NominatedPods& nominations() { return nominations_; }
  const queue::NominatedPods& nominations() const { return nominations_; }
  runtime::WaitingPodTable& waiting_pods() { return waiting_; }
  RecordingWriter& writer() { return writer_; }
  const Clock& clock() const { return clock_; }
  const framework::Registry& registry() const { return *registry_; }

  // Pods without a node that a profile is responsible for, in the order of the files.
  const std::vector<framework::QueuedPodInfo>& pending() const { return pending_; }
  const std::vector<framework::PodInfoPtr>& running() const { return running_; }
  const std::vector<IgnoredPod>& ignored() const { return ignored_; }
  // What is odd about the objects, one sentence each.
  const std::vector<std::string>& warnings() const { return warnings_; }

  const std::vector<std::unique_ptr<runtime::Profile>>& profiles() const { return profiles_; }
  runtime::Profile* ProfileFor(std::string_view scheduler_name) const;  // null when no profile has the name

 private:
  explicit DescribedCluster(const framework::Registry& registry) : cluster_(names_), registry_(&registry) {}

  Result<void> BuildProfiles(std::vector<config::ProfilePlan> plans, const log::Logger& log);
  void Load(const api::Manifests& manifests);
  api::PodPtr Completed(const api::PodPtr& pod);
  void Take(const api::PodPtr& pod);

  framework::ResourceNames names_;
  framework::PodRules rules_;
  cluster::ClusterState cluster_;
  queue::NominatedPods nominations_;
  ManualClock clock_;
  runtime::WaitingPodTable waiting_{clock_};
  RecordingWriter writer_;
  const framework::Registry* registry_;
  std::vector<std::unique_ptr<runtime::Profile>> profiles_;
  std::vector<framework::QueuedPodInfo> pending_;
  std::vector<framework::PodInfoPtr> running_;
  std::vector<IgnoredPod> ignored_;
  std::vector<std::string> warnings_;
  StringSet uids_;
};

}  // namespace berth::simulator
