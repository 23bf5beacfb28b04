// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cycle_state.h"
#include "framework/status.h"
#include "scheduler/attempt.h"
#include "scheduler/attempt_table.h"
#include "scheduler/engine_state.h"
#include "scheduler/failures.h"
#include "scheduler/work_pool.h"

namespace berth::scheduler {

// How attempts end: the pod is bound, or goes back to the queue. Engine thread only.
class AttemptEndings {
 public:
  // Everything lent outlives this.
  AttemptEndings(EngineState& engine, FailureHandler& failures, WorkPool& pool, AttemptTable& attempts)
      : engine_(engine), failures_(failures), pool_(pool), attempts_(attempts) {}

  // The binding was written. The attempt ends here, or when its PostBind plugins have returned.
  void Confirm(Attempt& attempt);
  void PostBindReturned(Attempt& attempt) { Remove(attempt); }

  // Before the binding cycle has begun, nobody else has counted the pod as placed.
  void FailInSchedulingCycle(Attempt& attempt, const Failure& failure) { Fail(attempt, failure, false); }
  void FailInBindingCycle(Attempt& attempt, const Failure& failure) { Fail(attempt, failure, true); }
  // PreBind or Bind failed, or was not allowed to go on.
  void FailWhileBinding(Attempt& attempt, const framework::Status& status);

  // Wakes the pods that plugins stashed in the state for this.
  void ActivateStashed(framework::CycleState& state);

 private:
  void Fail(Attempt& attempt, const Failure& failure, bool in_binding_cycle);
  void Remove(Attempt& attempt);

  EngineState& engine_;
  FailureHandler& failures_;
  WorkPool& pool_;
  AttemptTable& attempts_;
};

}  // namespace berth::scheduler
