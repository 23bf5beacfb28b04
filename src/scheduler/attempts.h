// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "scheduler/attempt.h"
#include "scheduler/attempt_endings.h"
#include "scheduler/attempt_table.h"
#include "scheduler/binding_cycle.h"
#include "scheduler/commands.h"
#include "scheduler/engine_state.h"
#include "scheduler/failures.h"
#include "scheduler/work_pool.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace berth::scheduler {

// The node that a decision chose, of how many: those that were judged, and those of them that may take the pod.
struct NodeChoice {
  framework::NodeId node = framework::kNoNode;
  size_t evaluated = 0;
  size_t feasible = 0;
};

// The pods on their way from a decision to their node: Reserve and Permit here, then the BindingCycle, and one of the
// AttemptEndings. Nothing waits; whatever a pod waits for arrives as a call. How far each has come is an AttemptState,
// whose tables say what may follow what. Engine thread only.
class Attempts {
 public:
  // Everything lent outlives this.
  Attempts(EngineState& engine, FailureHandler& failures, WorkPool& pool);
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;

  // The pod was given this node. Takes what plugins left in `state`.
  void Begin(queue::QueuedPodPtr queued, const runtime::Profile& profile, const NodeChoice& choice,
             framework::CycleState& state, std::chrono::steady_clock::time_point started);

  // What comes back.
  void PermitResolved(const std::string& uid);
  void CommandEnded(const Commands::Ending& ending);
  void WorkEnded(const WorkDone& done);
  void WorkAnswered(const scheduler::WorkAnswered& answered);
  // An object that plugins may wait for was changed, added or deleted.
  void ObjectChanged(const api::Object& object) { binding_.ObjectChanged(object); }
  // Calls the plugins whose time has come.
  void Tick() { binding_.Tick(); }
  std::optional<Timestamp> NextTick() const { return binding_.NextTick(); }

  // What the home tells of a pod. Says false when it is not on its way.
  bool PodSet(const api::PodPtr& pod);
  bool PodDeleted(std::string_view uid);

  // Takes a pod back that waits at Permit or in PreBind, because its room goes to another: it backs off as after an
  // error. Says false when it is too late for that, or the pod is not on its way.
  bool Preempt(std::string_view uid, std::string_view plugin);
  // Ends everything that waits in PreBind: the scheduler ends.
  void StopPreBind();

  // How many answers are still to come from other processes.
  size_t awaited() const { return binding_.awaited(); }

  size_t size() const { return attempts_.size(); }
  const Attempt* Find(std::string_view uid) const { return attempts_.Find(uid); }
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    attempts_.ForEach(std::forward<Visit>(visit));
  }

 private:
  // Writes the chosen node to the pod's status before it is bound, for observers such as a cluster autoscaler.
  void AnnounceNode(Attempt& attempt);
  void Assigned(Attempt& attempt, const framework::PodInfoPtr& before);
  // The pod will not get there: its room is free at once, without waiting for a binding that is bound to fail.
  void FreeRoom(Attempt& attempt, Told told, const char* why);
  void Stop(Attempt& attempt, const char* why);

  EngineState& engine_;
  AttemptTable attempts_;
  AttemptEndings endings_;
  BindingCycle binding_;
  uint64_t begun_ = 0;
};

}  // namespace berth::scheduler
