// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "config/profile_plan.h"
#include "config/types.h"
#include "framework/registry.h"
#include "home/shadow_home.h"
#include "kube/access/cluster_access.h"
#include "kube/client/api_client.h"
#include "log/logger.h"
#include "scheduler/scheduler.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace berth::cmd {

// What a scheduler of a Kubernetes cluster runs with.
struct KubeSetup {
  config::SchedulerConfiguration config;
  std::vector<config::ProfilePlan> plans;  // of the configuration
  std::shared_ptr<const framework::Registry> registry;
  kube::ClusterAccess access;
  kube::Surroundings surroundings;
  Duration max_unschedulable = std::chrono::minutes(5);
  std::string host;                                 // this machine's name, in events and leases
  std::string identity;                             // who contends for the lease
  std::string version;                              // of the program, told to the API server
  uint64_t seed = 0;                                // decides between nodes of equal score
  bool shadow = false;                              // decide and compare, write nothing
  bool strict_extender_order = false;               // see EngineOptions
  std::function<void()> lease_renewed_slowly = {};  // see KubeHomeOptions
  log::Logger log;
};

// A scheduler over an API server.
struct KubeScheduler {
  std::unique_ptr<scheduler::Scheduler> scheduler;
  home::ShadowHome* shadow = nullptr;  // the scheduler's; null unless it only watches
};

// Made of the parts that the configuration asks for, and not started. Everything lent outlives it; `observer` may be
// null.
Result<KubeScheduler> MakeKubeScheduler(KubeSetup setup, const Clock& clock, kube::ApiObserver* observer);

// "node-1_0f3c…": as upstream names a contender, the host and something no other has.
std::string LeaseIdentity(const std::string& host);
std::string HostName();

}  // namespace berth::cmd
