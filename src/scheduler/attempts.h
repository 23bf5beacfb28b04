// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "scheduler/attempt.h"
#include "scheduler/commands.h"
#include "scheduler/decide.h"
#include "scheduler/engine_state.h"
#include "scheduler/failures.h"
#include "scheduler/work_pool.h"

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace berth::scheduler {

// The pods on their way from a decision to their node: Reserve, Permit, PreBind, Bind, PostBind, and back to the queue
// when that fails. Nothing here waits; whatever a pod waits for arrives as a call. How far each has come is an
// AttemptState, whose tables say what may follow what. Engine thread only.
class Attempts {
 public:
  // Everything lent outlives this.
  Attempts(EngineState& engine, FailureHandler& failures, WorkPool& pool);
  ~Attempts();
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;

  // The pod was given this node. Takes what plugins left in `state`.
  void Begin(queue::QueuedPodPtr queued, const runtime::Profile& profile, framework::NodeId node,
             framework::CycleState& state, std::chrono::steady_clock::time_point started);

  // What comes back.
  void PermitResolved(const std::string& uid);
  void CommandEnded(const Commands::Ending& ending);
  void WorkEnded(const WorkDone& done);
  // An object that plugins may wait for was changed, added or deleted.
  void ObjectChanged(const api::Object& object);
  // Calls the plugins whose time has come.
  void Tick();
  std::optional<Timestamp> NextTick() const;

  // What the home tells of a pod. Says false when it is not on its way.
  bool PodSet(const api::PodPtr& pod);
  bool PodDeleted(std::string_view uid);

  // Takes a pod back that waits at Permit or in PreBind, because its room goes to another: it backs off as after an
  // error. Says false when it is too late for that, or the pod is not on its way.
  bool Preempt(std::string_view uid, std::string_view plugin);
  // Ends everything that waits in PreBind: the scheduler ends.
  void StopPreBind();

  size_t size() const { return attempts_.size(); }
  const Attempt* Find(std::string_view uid) const;
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const auto& [uid, attempt] : attempts_) visit(*attempt);
  }

 private:
  using Table = std::unordered_map<std::string_view, std::unique_ptr<Attempt>>;  // by the uid inside the pod
  class Work;  // what plugins ask for on behalf of one attempt

  Attempt* FindOne(std::string_view uid) const;
  Attempt& New(queue::QueuedPodPtr queued);
  // Ends the attempt; its memory is used again.
  void Recycle(const Attempt& attempt);

  // From stage to stage.
  void AfterPermit(Attempt& attempt);
  void StartPreBind(Attempt& attempt);
  void PreBindMoved(Attempt& attempt, const std::optional<framework::Status>& outcome);
  void EndPreBind(Attempt& attempt, framework::Status failure);
  void StartBind(Attempt& attempt);
  void BindMoved(Attempt& attempt, const std::optional<framework::Status>& outcome);
  void WriteBinding(Attempt& attempt);
  void BindingEnded(Attempt& attempt, const Commands::Ending& ending);
  void LookUpEnded(Attempt& attempt, const Commands::Ending& ending);
  // The outcome of the binding is known.
  void BindingSettled(Attempt& attempt, const framework::Status& status);
  void Confirm(Attempt& attempt);
  void Finish(Attempt& attempt);
  void Fail(Attempt& attempt, const Failure& failure, bool in_binding_cycle);

  // The home does not know yet where the pod will be; whoever watches, a cluster autoscaler for one, should.
  void AnnounceNode(Attempt& attempt);
  void ActivateStashed(framework::CycleState& state);
  void Assigned(Attempt& attempt, const framework::PodInfoPtr& before);
  // The pod will not get there: its room is free at once, without waiting for a binding that is bound to fail.
  void FreeRoom(Attempt& attempt, Told told, const char* why);
  void Stop(Attempt& attempt, const char* why);
  void NoteReplacement(const api::Pod& pod);
  // Nobody waits for the attempt's work any more.
  void DropWork(Attempt& attempt);
  // Registers what the attempt's PreBind plugins wait for now; nothing when they are done.
  void UpdateWakes(Attempt& attempt);
  void AnswerWork(Attempt& attempt, framework::WorkTicket ticket, Result<std::string> answer);

  EngineState& engine_;
  FailureHandler& failures_;
  WorkPool& pool_;
  Table attempts_;
  std::vector<Table::node_type> spare_;                 // with their buffers, so that an attempt allocates nothing
  std::unordered_map<home::Ticket, Attempt*> patches_;  // whose plugin asked for it
  StringMap<std::vector<Attempt*>> waiting_for_;        // attempts in PreBind, by the object that wakes them
  std::set<std::tuple<Timestamp, uint64_t, Attempt*>> timers_;  // attempts in PreBind, by when and their number
  StringMap<Attempt*> deleted_;  // attempts whose pod is deleted, by its namespace and name
  uint64_t begun_ = 0;
};

}  // namespace berth::scheduler
