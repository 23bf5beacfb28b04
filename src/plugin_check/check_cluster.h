// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "base/clock.h"
#include "base/result.h"
#include "cluster/cluster_state.h"
#include "config/profile_plan.h"
#include "framework/pod_info.h"
#include "framework/registry.h"
#include "framework/silent_roles.h"
#include "log/logger.h"
#include "queue/nominated_pods.h"
#include "runtime/profile.h"
#include "runtime/waiting_pod_table.h"

#include <memory>
#include <string_view>
#include <vector>

namespace berth::plugin_check {

// The plan with one plugin alone, at the points where it stood.
config::ProfilePlan OnlyPlugin(config::ProfilePlan plan, std::string_view plugin);

// A cluster and pods to ask plugins about, without a scheduler: whatever plugins ask to be done is not done. One
// thread.
class CheckCluster {
 public:
  // What is lent outlives this.
  CheckCluster(const Clock& clock, log::Logger log) : cluster_(names_), clock_(clock), log_(std::move(log)) {}
  CheckCluster(const CheckCluster&) = delete;
  CheckCluster& operator=(const CheckCluster&) = delete;

  // Nodes join, pods with a node are placed there, other pods are to be asked about.
  void Add(const api::Object& object);
  // Builds a profile over this cluster, which it must not outlive. `registry` may go afterwards.
  Result<std::unique_ptr<runtime::Profile>> Build(config::ProfilePlan plan, const framework::Registry& registry);

  cluster::ClusterState& cluster() { return cluster_; }
  const std::vector<framework::PodInfoPtr>& pending() const { return pending_; }
  // Pods with a node.
  const std::vector<framework::PodInfoPtr>& running() const { return running_; }
  // The pod as it was before it had a node.
  framework::PodInfoPtr Unplaced(const framework::PodInfo& pod);

 private:
  framework::ResourceNames names_;
  cluster::ClusterState cluster_;
  queue::NominatedPods nominated_;
  framework::SilentRoles silent_;
  const Clock& clock_;
  const log::Logger log_;
  runtime::WaitingPodTable waiting_{clock_};
  std::vector<framework::PodInfoPtr> pending_;
  std::vector<framework::PodInfoPtr> running_;
};

}  // namespace berth::plugin_check
