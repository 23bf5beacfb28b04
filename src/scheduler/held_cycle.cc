// SPDX-License-Identifier: Apache-2.0
#include "scheduler/held_cycle.h"

#include "framework/node_info.h"
#include "metrics/scheduler_metrics.h"

#include <chrono>

namespace berth::scheduler {

bool HeldCycle::TryEnd() {
  if (evictions_.IsUnderWay(framework::PodUid(pod_->pod()))) return false;
  if (const std::string error = evictions_.TakeError(); !error.empty()) {
    // The pod is not nominated now; an earlier nomination stays.
    failure_.message += " preemption: " + error;
    failure_.nominating = framework::PostFilterResult::Mode::NoOp;
    failure_.nominated_node.clear();
  }
  failure_.took = std::chrono::steady_clock::now() - pod_->started;
  if (engine_.metrics != nullptr) engine_.metrics->Algorithm(failure_.took);
  FlyingPod pod = std::move(*pod_);
  pod_.reset();
  const FlyingPod::Standing standing = pod.standing();
  queue::QueuedPodPtr queued = pod.Land();
  if (standing == FlyingPod::Standing::Waiting) {
    failures_.Fail(std::move(queued), *pod.profile, failure_);
  } else {
    failures_.Abandon(*queued->pod, *pod.profile, failure_, /*is_told=*/standing != FlyingPod::Standing::Replaced);
  }
  return true;
}

}  // namespace berth::scheduler
