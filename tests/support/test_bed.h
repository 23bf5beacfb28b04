// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/worker_pool.h"
#include "cluster/cluster_state.h"
#include "config/profile_plan.h"
#include "framework/activator.h"
#include "framework/event_recorder.h"
#include "framework/evictor.h"
#include "framework/registry.h"
#include "metrics/scheduler_metrics.h"
#include "queue/nominated_pods.h"
#include "runtime/profile.h"
#include "runtime/waiting_pod_table.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::test {

// Keeps what plugins ask for, one line each.
class RecordingRoles final : public framework::Evictor, public framework::EventRecorder, public framework::Activator {
 public:
  void Activate(std::vector<std::string> pod_uids) override BERTH_EXCLUDES(mutex_);  // any thread
  std::vector<std::string> activated() const BERTH_EXCLUDES(mutex_);
  void NoteAttempt() override { ++attempts; }
  void Preempt(const framework::PodInfo& preemptor, std::string_view node,
               std::span<const framework::PodInfoPtr> victims, std::string_view plugin) override;
  bool IsPreempting(std::string_view preemptor_uid) const override { return preemptor_uid == preempting; }
  void Record(const api::PodPtr& about, const api::PodPtr& related, framework::PodEvent event) override;

  size_t attempts = 0;
  std::vector<std::string> preemptions;  // "ns/name on node: ns/victim …, by plugin"
  std::vector<std::string> evicted;      // uids
  std::vector<std::string> events;       // "Normal Preempted Preempting ns/name: message"
  std::string preempting;                // the uid of the pod that is told to wait

 private:
  mutable Mutex mutex_;
  std::vector<std::string> activated_ BERTH_GUARDED_BY(mutex_);  // uids
};

// The plans of a configuration given as text; the default configuration when it is empty.
std::vector<config::ProfilePlan> PlansOf(std::string_view configuration, const framework::Registry& registry);

// A plan that runs these plugins, in this order, at every point they serve; all weights are 1.
config::ProfilePlan PlanOf(const framework::Registry& registry);

// An empty cluster and the profiles to judge pods with. One thread.
struct TestBed {
  TestBed() : cluster(names) {}
  TestBed(const TestBed&) = delete;
  TestBed& operator=(const TestBed&) = delete;

  // Builds a profile over this bed; `registry` may go afterwards.
  runtime::Profile& AddProfile(config::ProfilePlan plan, const framework::Registry& registry);
  // The first profile.
  runtime::Profile& profile() { return *profiles.front(); }

  // Nodes join, pods with a node are placed there, pods with a nomination only are nominated.
  void Add(const api::Object& object);
  framework::PodInfoPtr Info(const api::PodPtr& pod) { return framework::MakePodInfo(pod, names); }

  framework::ResourceNames names;
  cluster::ClusterState cluster;
  queue::NominatedPods nominated;
  RecordingRoles roles;
  ManualClock clock;
  metrics::SchedulerMetrics* metrics = nullptr;  // of profiles added from then on
  runtime::WaitingPodTable waiting{clock};
  WorkerPool* workers = nullptr;              // lent to profiles that are added afterwards
  const framework::Lister* lister = nullptr;  // the same, instead of the cluster's own
  std::vector<std::unique_ptr<runtime::Profile>> profiles;
};

// A bed with the in-tree plugins in their default configuration.
std::unique_ptr<TestBed> DefaultTestBed();

}  // namespace berth::test
