// SPDX-License-Identifier: Apache-2.0
#include "scheduler/held_cycle.h"

#include "framework/node_info.h"
#include "metrics/scheduler_metrics.h"

#include <utility>

namespace berth::scheduler {

using framework::PodInfoPtr;
using framework::PodUid;
using std::chrono::steady_clock;

void HeldCycle::Hold(queue::QueuedPodPtr queued, const runtime::Profile& profile, Failure failure,
                     steady_clock::time_point started) {
  latest_ = queued->pod;
  queued_ = std::move(queued);
  profile_ = &profile;
  failure_ = std::move(failure);
  standing_ = Standing::Waiting;
  started_ = started;
}

bool HeldCycle::TryEnd() {
  if (evictions_.IsUnderWay(PodUid(*queued_->pod->pod))) return false;
  if (const std::string error = evictions_.TakeError(); !error.empty()) {
    // The pod is not nominated now; an earlier nomination stays.
    failure_.message += " preemption: " + error;
    failure_.nominating = framework::PostFilterResult::Mode::NoOp;
    failure_.nominated_node.clear();
  }
  failure_.took = steady_clock::now() - started_;
  if (engine_.metrics != nullptr) engine_.metrics->Algorithm(failure_.took);
  queue::QueuedPodPtr queued = std::move(queued_);
  queued->pod = std::exchange(latest_, nullptr);
  if (standing_ == Standing::Waiting) {
    failures_.Fail(std::move(queued), *profile_, failure_);
  } else {
    failures_.Abandon(*queued->pod, *profile_, failure_, /*is_told=*/standing_ != Standing::Replaced);
  }
  return true;
}

bool HeldCycle::IsAbout(std::string_view uid) const { return is_held() && PodUid(*queued_->pod->pod) == uid; }

bool HeldCycle::PodSet(const api::PodPtr& pod) {
  if (!is_held()) return false;
  if (!IsAbout(PodUid(*pod))) {
    if (standing_ == Standing::Gone && pod->meta.Key() == queued_->pod->pod->meta.Key()) standing_ = Standing::Replaced;
    return false;
  }
  const PodInfoPtr before = std::exchange(latest_, engine_.classes.InfoOf(engine_.shadow.Over(pod), latest_.get()));
  if (pod->node_name.empty()) {
    engine_.queue->Update(before, latest_);
    return true;
  }
  standing_ = Standing::Assigned;
  return false;
}

bool HeldCycle::PodDeleted(std::string_view uid) {
  if (!IsAbout(uid)) return false;
  const bool was_assigned = standing_ == Standing::Assigned;
  standing_ = Standing::Gone;
  if (was_assigned) return false;
  engine_.queue->Remove(uid);  // with what it was promised
  if (!latest_->pod->status->nominated_node_name.empty()) {
    engine_.WakeByFreedRoom(latest_->pod, latest_->pod->priority());
  }
  return true;
}

}  // namespace berth::scheduler
