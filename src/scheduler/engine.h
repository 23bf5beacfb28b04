// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "config/profile_plan.h"
#include "framework/registry.h"
#include "scheduler/attempts.h"
#include "scheduler/cluster_updates.h"
#include "scheduler/consultations.h"
#include "scheduler/engine_state.h"
#include "scheduler/evictions.h"
#include "scheduler/failures.h"
#include "scheduler/held_cycle.h"
#include "scheduler/home_objects.h"
#include "scheduler/inbox.h"
#include "scheduler/scheduling_cycle.h"
#include "scheduler/work_pool.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::scheduler {

// What the engine works with. Everything outlives it; `metrics` and `extenders` may be null.
struct EngineLinks {
  const Clock* clock = nullptr;
  Inbox* inbox = nullptr;
  home::Home* home = nullptr;
  WorkPool* pool = nullptr;
  metrics::SchedulerMetrics* metrics = nullptr;
  framework::Extenders* extenders = nullptr;
};

// The scheduler's heart: owns the cluster and the queue, decides pod after pod, and is told what happens elsewhere by
// messages. Between two messages nothing changes under it, so it needs no lock and no snapshot. Its parts, in the order
// a pod meets them: ClusterUpdates, SchedulingCycle, Attempts, FailureHandler, Evictions, HeldCycle, Consultations;
// what they share is EngineState, and everything they want done outside goes through Commands.
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
  // Tries the next pod. Says false when none is ready, or when too many bindings are unanswered.
  bool ScheduleOne();
  // Lets pods go on that time has made ready, and ends waits that are over.
  void Tick();
  // Hands new commands to the home. To be called at the end of every turn.
  void SendCommands() { state_.commands.Send(); }
  std::optional<Timestamp> NextTick() const;
  // Asks everything that waits in PreBind to stop: the scheduler ends.
  void StopBinding() { attempts_.StopPreBind(); }

  const cluster::ClusterState& cluster() const { return state_.cluster; }
  const queue::SchedulingQueue& queue() const { return *state_.queue; }
  const queue::NominatedPods& nominated() const { return state_.nominated; }
  runtime::WaitingPodTable& waiting_pods() { return state_.waiting; }
  Commands& commands() { return state_.commands; }
  const Commands& commands() const { return state_.commands; }
  const Attempts& attempts() const { return attempts_; }
  const Evictions& evictions() const { return evictions_; }
  const HeldCycle& held_cycle() const { return held_; }
  const Consultations& consultations() const { return consultations_; }
  DecisionLog& log() { return cycle_->log(); }
  const std::vector<std::unique_ptr<runtime::Profile>>& profiles() const { return state_.profiles; }
  // Any thread.
  bool synced() const { return synced_; }
  const EngineCounts& counts() const { return state_.counts; }
  // Any thread.
  Problems& problems() { return state_.problems; }
  const Problems& problems() const { return state_.problems; }
  // Pods with a node that their home has not confirmed or refused yet.
  size_t attempts_under_way() const { return attempts_.size(); }
  // Whether other processes owe answers to plugins.
  bool awaits_answers() const { return attempts_.awaited() != 0 || consultations_.awaits_answers(); }
  // Empty, or what is wrong: a pod in two places, a wrong sum, a node over its capacity by our doing. For tests and
  // audits: looks at everything.
  std::string CheckInvariants() const;

 private:
  Engine(const EngineOptions& options, const EngineLinks& links, const framework::PodRules& rules);
  Result<void> BuildProfiles(std::vector<config::ProfilePlan> plans, const framework::Registry& registry);
  void CommandEnded(const Commands::Ending& ending);
  // Tells the metrics, once in a while, how much the engine holds.
  void ReportSizes();

  EngineState state_;
  const HomeObjects home_objects_;
  FailureHandler failures_;
  Attempts attempts_;
  Evictions evictions_;
  HeldCycle held_;
  const std::vector<framework::Extender*> extenders_;  // in the order in which they are asked
  Consultations consultations_;
  ClusterUpdates updates_;
  std::vector<std::unique_ptr<ProfileRoles>> roles_;  // one per profile
  std::unique_ptr<SchedulingCycle> cycle_;            // made when the profiles are built
  std::atomic<bool> synced_ = false;
  std::optional<Timestamp> sizes_reported_;
};

}  // namespace berth::scheduler
