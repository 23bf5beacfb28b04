// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "cluster/cluster_state.h"
#include "config/profile_plan.h"
#include "framework/pod_info.h"
#include "framework/registry.h"
#include "queue/nominated_pods.h"
#include "simulator/described_objects.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::simulator {

// A cluster built from objects in files, to answer questions: nothing is scheduled on it. The clock is fixed at the
// latest time the objects mention, so that the same files give the same answers.
//
// One thread at a time.
class DescribedCluster {
 public:
  // `plans` has one plan per profile, the same that `objects` were classified by; all have the same feature gates. The
  // registry must outlive the cluster.
  DescribedCluster(const DescribedObjects& objects, std::vector<config::ProfilePlan> plans,
                   const framework::Registry& registry);
  DescribedCluster(const DescribedCluster&) = delete;
  DescribedCluster& operator=(const DescribedCluster&) = delete;

  const cluster::ClusterState& cluster() const { return cluster_; }
  const queue::NominatedPods& nominations() const { return nominations_; }
  const Clock& clock() const { return clock_; }
  const framework::Registry& registry() const { return registry_; }

  // In the order of the objects.
  const std::vector<framework::PodInfoPtr>& pending() const { return pending_; }
  const std::vector<framework::PodInfoPtr>& running() const { return running_; }
  const std::vector<IgnoredPod>& ignored() const { return ignored_; }

  // The plan of the profile with this scheduler name; the first plan when there is none.
  const config::ProfilePlan& PlanFor(std::string_view scheduler_name) const;

 private:
  framework::ResourceNames names_;
  cluster::ClusterState cluster_;
  queue::NominatedPods nominations_;
  const ManualClock clock_;
  const framework::Registry& registry_;
  const std::vector<config::ProfilePlan> plans_;
  std::vector<framework::PodInfoPtr> pending_;
  std::vector<framework::PodInfoPtr> running_;
  std::vector<IgnoredPod> ignored_;
};

}  // namespace berth::simulator
