// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "framework/binding_work.h"
#include "framework/status.h"
#include "scheduler/attempt.h"
#include "scheduler/attempt_endings.h"
#include "scheduler/attempt_wakes.h"
#include "scheduler/attempt_work.h"
#include "scheduler/commands.h"
#include "scheduler/engine_state.h"
#include "scheduler/work_pool.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace berth::scheduler {

// What follows Permit: PreBind plugins do their work, then the binding is written, by a Bind plugin or for it. Nothing
// here waits; answers, changes and times arrive as calls. Engine thread only.
class BindingCycle {
 public:
  // Everything lent outlives this.
  BindingCycle(EngineState& engine, WorkPool& pool, AttemptEndings& endings)
      : engine_(engine), endings_(endings), work_(engine.commands, pool, engine.inbox) {}

  // What the attempt's plugins may ask for. It outlives neither this nor the attempt.
  std::unique_ptr<framework::BindWork> ServicesFor(Attempt& attempt);

  // Permit has let the pod pass.
  void Start(Attempt& attempt);
  // Ends PreBind with this failure.
  void CancelPreBind(Attempt& attempt, framework::Status failure);
  // Takes back a binding that has not been sent yet; has no effect on one that has.
  void CancelBinding(Attempt& attempt, std::string_view why);
  // The home told the outcome of a binding whose answer was lost.
  void Resolve(Attempt& attempt, const framework::Status& status);

  // A binding or a question about one has ended.
  void BindingEnded(Attempt& attempt, const Commands::Ending& ending);
  // A patch that some plugin asked for has ended.
  void PatchEnded(const Commands::Ending& ending);
  void WorkEnded(Attempt& attempt, const WorkDone& done);
  void Answered(Attempt& attempt, const WorkAnswered& answered);
  // An answer has come from another process, whether or not anybody still waits for it.
  void AnswerCame() { work_.AnswerCame(); }
  size_t awaited() const { return work_.awaited(); }
  // An object that plugins may wait for was changed, added or deleted.
  void ObjectChanged(const api::Object& object);
  // Calls the plugins whose time has come.
  void Tick();
  std::optional<Timestamp> NextTick() const { return wakes_.NextDue(); }

 private:
  class PluginWork;

  void PreBindMoved(Attempt& attempt, const std::optional<framework::Status>& outcome);
  void StartBind(Attempt& attempt);
  void BindMoved(Attempt& attempt, std::optional<framework::Status> outcome);
  // The Bind plugin has ended, and so has all its work.
  void BindEnded(Attempt& attempt, const framework::Status& outcome);
  void WriteBinding(Attempt& attempt);
  void Written(Attempt& attempt, const Commands::Ending& ending);
  void LookedUp(Attempt& attempt, const Commands::Ending& ending);
  // The outcome of the binding is known.
  void Settle(Attempt& attempt, const framework::Status& status);
  void Answer(Attempt& attempt, framework::WorkTicket ticket, Result<std::string> answer);

  EngineState& engine_;
  AttemptEndings& endings_;
  AttemptWork work_;
  AttemptWakes wakes_;
};

}  // namespace berth::scheduler
