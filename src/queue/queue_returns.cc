// SPDX-License-Identifier: Apache-2.0
#include "framework/node_info.h"
#include "queue/queue_metrics.h"
#include "queue/scheduling_queue_impl.h"

#include <utility>

namespace berth::queue {

using framework::PodInfoPtr;
using framework::PodUid;

Place SchedulingQueue::Impl::Return(QueuedPodPtr pod, const FailedAttempt& failure) {
  const PodInfoPtr info = pod->pod;  // outlives the uid's use below, whatever becomes of `pod`
  const std::string_view uid = PodUid(*info->pod);
  if (const QueuedPod* present = known_.Find(uid)) {
    in_flight_.Finish(uid);
    return present->place;
  }
  pod->place = Place::None;
  SetRejectors(*pod, failure);
  if (pod->rejectors.none()) {
    ++pod->error_count;
  } else {
    ++pod->unschedulable_count;
    pod->error_count = 0;
  }
  Stamp(*pod);
  pod->was_flushed = false;
  pod->flushed.reset();
  CountRejectors(metrics_, profiles_[pod->profile], *pod, +1);

  std::optional<Requeueing> requeueing = Requeueing::AfterBackoff;
  if (pod->rejectors.any()) {
    const HintJudge::Timing timing(judge_);
    requeueing = in_flight_.Weigh(uid, pod->pending.any(), [&](const Happening& happening) {
      return options_.hints ? judge_.Judge(*pod, happening) : Requeueing::AfterBackoff;
    });
  }
  QueuedPod& returned = known_.Insert(std::move(pod));
  if (requeueing == Requeueing::Skip ||
      !Requeue(returned, requeueing.value_or(Requeueing::AfterBackoff), kScheduleAttemptFailure)) {
    Park(returned, kScheduleAttemptFailure, /*arrives=*/true);
  }
  in_flight_.Finish(uid);
  ReportSizes();
  return returned.place;
}

void SchedulingQueue::Impl::SetRejectors(QueuedPod& pod, const FailedAttempt& failure) {
  pod.rejectors.reset();
  pod.pending.reset();
  pod.gating_plugin = -1;
  if (failure.error) return;
  for (const std::string& name : failure.rejectors) pod.rejectors.set(PluginIndex(pod.profile, name));
  for (const std::string& name : failure.pending) pod.pending.set(PluginIndex(pod.profile, name));
  pod.rejectors |= pod.pending;
}

// Whoever is not a plugin of the profile, an extender for one, becomes one that registers for nothing.
size_t SchedulingQueue::Impl::PluginIndex(uint32_t profile, const std::string& name) {
  std::vector<QueueProfile::Plugin>& plugins = profiles_[profile].plugins;
  for (size_t i = 0; i < plugins.size(); ++i) {
    if (plugins[i].name == name) return i;
  }
  if (plugins.size() == kMaxPlugins) return kMaxPlugins - 1;
  plugins.push_back({name, nullptr, {}});
  return plugins.size() - 1;
}

}  // namespace berth::queue
