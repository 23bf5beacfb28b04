// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/pod_info.h"
#include "queue/queued_pod.h"
#include "runtime/profile.h"
#include "scheduler/engine_state.h"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace berth::scheduler {

// A pod that was popped and whose cycle has not ended: keeps up with what the home tells of it meanwhile. Engine thread
// only.
class FlyingPod {
 public:
  enum class Standing : uint8_t { Waiting, Assigned, Gone, Replaced };

  FlyingPod(queue::QueuedPodPtr pod, const runtime::Profile& its_profile, std::chrono::steady_clock::time_point popped)
      : profile(&its_profile), started(popped), queued_(std::move(pod)), latest_(queued_->pod) {}

  const api::Pod& pod() const { return **queued_->pod; }  // as it was popped
  const api::PodPtr& latest() const { return latest_->pod; }
  Standing standing() const { return standing_; }
  // Hands the pod over as its home last told of it: the cycle goes on, or ends.
  queue::QueuedPodPtr Land();

  // What the home tells of a pod. Says true when that was all there is to do about it.
  bool PodSet(EngineState& engine, const api::PodPtr& pod);
  bool PodDeleted(EngineState& engine, std::string_view uid);

  const runtime::Profile* profile;
  std::chrono::steady_clock::time_point started;

 private:
  queue::QueuedPodPtr queued_;
  framework::PodInfoPtr latest_;
  Standing standing_ = Standing::Waiting;
};

}  // namespace berth::scheduler
