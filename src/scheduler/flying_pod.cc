// SPDX-License-Identifier: Apache-2.0
#include "scheduler/flying_pod.h"

#include "framework/node_info.h"

#include <utility>

namespace berth::scheduler {

using framework::PodInfoPtr;
using framework::PodUid;

queue::QueuedPodPtr FlyingPod::Land() {
  queued_->pod = std::exchange(latest_, nullptr);
  return std::move(queued_);
}

bool FlyingPod::PodSet(EngineState& engine, const api::PodPtr& told) {
  if (PodUid(pod()) != PodUid(*told)) {
    if (standing_ == Standing::Gone && told->meta.Key() == pod().meta.Key()) standing_ = Standing::Replaced;
    return false;
  }
  const PodInfoPtr before = std::exchange(latest_, engine.classes.InfoOf(engine.shadow.Over(told), latest_.get()));
  if (told->node_name.empty()) {
    engine.queue->Update(before, latest_);
    return true;
  }
  standing_ = Standing::Assigned;
  return false;
}

bool FlyingPod::PodDeleted(EngineState& engine, std::string_view uid) {
  if (PodUid(pod()) != uid) return false;
  const bool was_assigned = standing_ == Standing::Assigned;
  standing_ = Standing::Gone;
  if (was_assigned) return false;
  engine.queue->Remove(uid);  // with what it was promised
  if (!latest_->pod->status->nominated_node_name.empty()) {
    engine.WakeByFreedRoom(latest_->pod, latest_->pod->priority());
  }
  return true;
}

}  // namespace berth::scheduler
