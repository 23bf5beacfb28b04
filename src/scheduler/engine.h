// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "base/rng.h"
#include "base/worker_pool.h"
#include "cluster/cluster_state.h"
#include "config/profile_plan.h"
#include "framework/registry.h"
#include "queue/nominated_pods.h"
#include "queue/scheduling_queue.h"
#include "runtime/cycle.h"
#include "runtime/profile.h"
#include "runtime/waiting_pod_table.h"
#include "scheduler/attempt.h"
#include "scheduler/binding_pool.h"
#include "scheduler/decision_log.h"
#include "scheduler/inbox.h"
#include "scheduler/outbox.h"
#include "scheduler/outbox_writer.h"
#include "scheduler/repeated_failures.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::scheduler {

struct EngineOptions {
  queue::QueueOptions queue;
  uint64_t seed = 1;             // decides among nodes of equal score
  size_t log_capacity = 10'000;  // decisions that can be explained later
  bool record_scores = false;    // records also hold the best nodes' scores by plugin; costs time
  // Threads, the engine's own included, that share out Filters and Scores written node by node. Columnar plugins, as
  // all in-tree ones are, need none. Changes no decision.
  size_t worker_threads = 1;
  bool repeat_failures = true;  // a pod like one that has just failed is not judged anew; changes no decision
};

// What the engine works with. Everything outlives it; `metrics` may be null.
struct EngineLinks {
  const Clock* clock = nullptr;
  Inbox* inbox = nullptr;
  Outbox* outbox = nullptr;
  BindingPool* binding = nullptr;
  metrics::SchedulerMetrics* metrics = nullptr;
};

// How many pods went which way since the start.
struct EngineCounts {
  uint64_t attempts = 0;
  uint64_t bound = 0;
  uint64_t unschedulable = 0;
  uint64_t errors = 0;
};

// The scheduler's heart: owns the cluster and the queue, decides pod after pod, and is told what happens elsewhere by
// messages. Between two messages nothing changes under it, so it needs no lock and no snapshot.
//
// One thread calls everything here (the engine thread); the same messages, times and seed give the same decisions.
class Engine {
 public:
  // `plans` holds one plan per profile. Fails when a profile cannot be built.
  static Result<std::unique_ptr<Engine>> Create(std::vector<config::ProfilePlan> plans,
                                                const framework::Registry& registry, const EngineOptions& options,
                                                const EngineLinks& links);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void Handle(Message& message);
  // Tries the next pod. Says false when none is ready, or when the outbox cannot take more bindings.
  bool ScheduleOne();
  // Lets pods go on that time has made ready, and ends waits at Permit that are over.
  void Tick();
  std::optional<Timestamp> NextTick() const;
  // Asks everything that waits in PreBind to stop: the scheduler ends.
  void StopBinding();

  const cluster::ClusterState& cluster() const { return cluster_; }
  const queue::SchedulingQueue& queue() const { return *queue_; }
  const queue::NominatedPods& nominated() const { return nominated_; }
  runtime::WaitingPodTable& waiting_pods() { return waiting_; }
  DecisionLog& log() { return log_; }
  const std::vector<std::unique_ptr<runtime::Profile>>& profiles() const { return profiles_; }
  bool synced() const { return synced_; }
  const EngineCounts& counts() const { return counts_; }
  // Pods with a node that the store has not confirmed or refused yet.
  size_t attempts_under_way() const { return attempts_.size(); }
  // Empty, or what is wrong: a pod in two places, a wrong sum, a node over its capacity by our doing. For tests and
  // audits: looks at everything.
  std::string CheckInvariants() const;

 private:
  struct Failure;
  using AttemptTable = std::unordered_map<std::string_view, std::unique_ptr<Attempt>>;  // by the uid inside the pod
  using AttemptNode = AttemptTable::node_type;

  Engine(const EngineOptions& options, const EngineLinks& links);
  Result<void> BuildProfiles(std::vector<config::ProfilePlan> plans, const framework::Registry& registry);

  // store_changes.cc: what the store tells.
  void OnChange(const ObjectChange& change);
  void SetNode(const api::NodePtr& node);
  void RemoveNode(const api::NodePtr& node);
  void SetPod(const api::PodPtr& pod);
  void RemovePod(const api::PodPtr& pod);
  void SetOther(const api::Object& object);
  void RemoveOther(const api::Object& object);
  void SetAssignedPod(const api::PodPtr& pod);
  void SetAttemptedPod(Attempt& attempt, const api::PodPtr& pod);
  void RemoveAttemptedPod(Attempt& attempt);
  void AssumedPodDeleted(Attempt& attempt);
  // Says whether the pod waited at Permit.
  bool StopAttempt(Attempt& attempt, std::string_view why);
  static api::PodPtr WithNode(const api::Pod& pod, const std::string& node);
  framework::PodInfoPtr InfoOf(const api::PodPtr& pod, const framework::PodInfo* known);
  void WakeBy(const api::Object* before, const api::Object* after);
  void WakeByFreedRoom(const api::PodPtr& pod, std::optional<int32_t> max_priority = {}, std::string_view except = {});

  // scheduling_cycle.cc: from a pod to a decision.
  void Place(queue::QueuedPodPtr queued, const runtime::Profile& profile, const Decision& decision,
             std::chrono::steady_clock::time_point started);
  void AnnounceNode(const Attempt& attempt);
  void GoOnToBinding(Attempt& attempt);
  void ActivateStashed(framework::CycleState& state);
  void LogDecision(const queue::QueuedPod& queued, const runtime::Profile& profile, const Decision& decision,
                   const std::vector<runtime::PluginScores>& scores, Duration took);

  // failure.cc: what becomes of a pod that could not be placed or bound.
  static Failure FailureOf(const Decision& decision, Duration took);
  static Failure FailureOf(const framework::Status& status);
  void Fail(queue::QueuedPodPtr queued, const runtime::Profile& profile, const Failure& failure);
  void FailAttempt(Attempt& attempt, const framework::Status& status, bool in_binding_cycle);
  void Abandon(Attempt& attempt, const Failure& failure);
  void CountFailure(const runtime::Profile& profile, const Failure& failure);
  void PatchFailedStatus(const api::Pod& pod, const Failure& failure);
  void Nominate(const framework::PodInfoPtr& pod, const Failure& failure);

  // binding_outcome.cc: what comes back from Permit and binding.
  void OnPermitResolved(const std::string& uid);
  void OnBindingFinished(Attempt& attempt, const framework::Status& status);

  Decision DecideOn(const queue::QueuedPod& queued, const runtime::Profile& profile,
                    std::vector<runtime::PluginScores>& scores);
  // Tells the metrics, once in a while, how much the engine holds.
  void ReportSizes();

  // invariants.cc
  std::string CheckPlaces() const;
  std::string CheckSums() const;
  std::string CheckOwnPlacements() const;

  Attempt* FindAttempt(std::string_view uid) const;
  Attempt& NewAttempt(queue::QueuedPodPtr queued);
  AttemptNode TakeAttempt(const Attempt& attempt);
  void Recycle(AttemptNode attempt);
  void Report(const runtime::Profile& profile, const api::Pod& pod, std::string_view type, std::string_view reason,
              std::string_view action, std::string note);

  const EngineOptions options_;
  const EngineLinks links_;
  framework::ResourceNames names_;
  cluster::ClusterState cluster_;
  queue::NominatedPods nominated_;
  runtime::WaitingPodTable waiting_;
  WorkerPool workers_;
  std::vector<std::unique_ptr<OutboxWriter>> writers_;  // one per profile
  std::vector<std::unique_ptr<runtime::Profile>> profiles_;
  std::vector<std::unique_ptr<NodeSampling>> samplings_;  // by profile; null where every node is scored
  std::unique_ptr<queue::SchedulingQueue> queue_;
  runtime::Cycle cycle_;
  Rng rng_;
  // Traits of the latest pods, by what they follow from: pods of one template share theirs.
  struct KnownTraits {
    std::shared_ptr<const api::PodSpec> spec;
    std::shared_ptr<const api::PodStatus> status;
    std::string namespace_;
    std::shared_ptr<const framework::PodTraits> traits;
  };
  std::array<KnownTraits, 256> known_traits_;
  bool synced_ = false;
  EngineCounts counts_;
  AttemptTable attempts_;
  std::vector<AttemptNode> spare_attempts_;  // with their buffers, so that an attempt allocates nothing
  DecisionLog log_;
  RepeatedFailures failures_;
  std::optional<Timestamp> sizes_reported_;
  NodeNames node_names_;
  std::shared_ptr<const NodeNames> shared_node_names_;  // for records; null when nodes came since
};

}  // namespace berth::scheduler
