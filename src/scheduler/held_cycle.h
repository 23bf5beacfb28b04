// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/pod_info.h"
#include "queue/queued_pod.h"
#include "runtime/profile.h"
#include "scheduler/engine_state.h"
#include "scheduler/evictions.h"
#include "scheduler/failures.h"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace berth::scheduler {

// The scheduling cycle of a preemptor whose preemption is awaited, as SchedulerAsyncPreemption=false wants it: no other
// pod is tried meanwhile. The engine itself does not wait: it goes on hearing what happens. Engine thread only.
class HeldCycle {
 public:
  // Everything lent outlives this.
  HeldCycle(EngineState& engine, FailureHandler& failures, Evictions& evictions)
      : engine_(engine), failures_(failures), evictions_(evictions) {}

  bool is_held() const { return queued_ != nullptr; }
  // The cycle of this pod ends with `failure` once its preemption has ended.
  void Hold(queue::QueuedPodPtr queued, const runtime::Profile& profile, Failure failure,
            std::chrono::steady_clock::time_point started);
  // Ends the cycle if its preemption has; says whether it did.
  bool TryEnd();

  // What the home tells of a pod. Says true when that was all there is to do about it.
  bool PodSet(const api::PodPtr& pod);
  bool PodDeleted(std::string_view uid);

 private:
  enum class Standing : uint8_t { Waiting, Assigned, Gone, Replaced };

  bool IsAbout(std::string_view uid) const;

  EngineState& engine_;
  FailureHandler& failures_;
  Evictions& evictions_;
  queue::QueuedPodPtr queued_;    // null when no cycle is held
  framework::PodInfoPtr latest_;  // as its home last told
  const runtime::Profile* profile_ = nullptr;
  Failure failure_;
  Standing standing_ = Standing::Waiting;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace berth::scheduler
