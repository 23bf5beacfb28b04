// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/engine_state.h"
#include "scheduler/evictions.h"
#include "scheduler/failures.h"
#include "scheduler/flying_pod.h"

#include <optional>
#include <string_view>
#include <utility>

namespace berth::scheduler {

// The scheduling cycle of a preemptor whose preemption is awaited, as SchedulerAsyncPreemption=false wants it: no other
// pod is tried meanwhile. The engine itself does not wait: it goes on hearing what happens. Engine thread only.
class HeldCycle {
 public:
  // Everything lent outlives this.
  HeldCycle(EngineState& engine, FailureHandler& failures, Evictions& evictions)
      : engine_(engine), failures_(failures), evictions_(evictions) {}

  bool is_held() const { return pod_.has_value(); }
  // The cycle of this pod ends with `failure` once its preemption has ended.
  void Hold(FlyingPod pod, Failure failure) {
    pod_.emplace(std::move(pod));
    failure_ = std::move(failure);
  }
  // Ends the cycle if its preemption has; says whether it did.
  bool TryEnd();

  // What the home tells of a pod. Says true when that was all there is to do about it.
  bool PodSet(const api::PodPtr& pod) { return is_held() && pod_->PodSet(engine_, pod); }
  bool PodDeleted(std::string_view uid) { return is_held() && pod_->PodDeleted(engine_, uid); }

 private:
  EngineState& engine_;
  FailureHandler& failures_;
  Evictions& evictions_;
  std::optional<FlyingPod> pod_;  // empty when no cycle is held
  Failure failure_;
};

}  // namespace berth::scheduler
