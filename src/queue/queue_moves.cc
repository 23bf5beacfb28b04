// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "framework/node_info.h"
#include "queue/change_events.h"
#include "queue/queue_metrics.h"
#include "queue/scheduling_queue_impl.h"

#include <algorithm>
#include <utility>

namespace berth::queue {

using framework::PodInfoPtr;
using framework::PodUid;
using metrics::QueueName;

void SchedulingQueue::Impl::TakeFromPlace(QueuedPod& pod) {
  switch (std::exchange(pod.place, Place::None)) {
    case Place::Active: active_.Erase(pod); break;
    case Place::Backoff: backing_off_.Erase(pod); break;
    case Place::ErrorBackoff: after_error_.Erase(pod); break;
    case Place::Gated: --gated_; [[fallthrough]];
    case Place::Unschedulable: waiting_.Erase(pod); break;
    case Place::None:
    case Place::InFlight: break;
  }
}

void SchedulingQueue::Impl::PutInLine(QueuedPod& pod, Place place) {
  pod.place = place;
  switch (place) {
    case Place::Active: active_.Push(pod); break;
    case Place::Backoff: backing_off_.Push(pod); break;
    case Place::ErrorBackoff: after_error_.Push(pod); break;
    default: BERTH_CHECK(false);
  }
}

bool SchedulingQueue::Impl::MoveToActive(QueuedPod& pod, std::string_view label, bool from_backoff) {
  // A pod that could be popped early passed PreEnqueue when it entered backoff.
  const bool has_passed = from_backoff && options_.pop_from_backoff;
  if (!has_passed && !gates_.LetPass(pod)) {
    pod.was_flushed = false;
    return false;
  }
  if (!pod.first_attempt) pod.first_attempt = clock_.Now();
  PutInLine(pod, Place::Active);
  CountIncoming(QueueName::Active, label);
  if (label == add_label_ || label == update_label_) NominateByStatus(pod.pod);
  return true;
}

bool SchedulingQueue::Impl::MoveToBackoff(QueuedPod& pod, std::string_view label) {
  if (options_.pop_from_backoff && !gates_.LetPass(pod)) {
    pod.was_flushed = false;
    return false;
  }
  // Nobody rejected the pod: something broke, and trying early would only strain it further.
  PutInLine(pod, pod.rejectors.none() ? Place::ErrorBackoff : Place::Backoff);
  CountIncoming(QueueName::Backoff, label);
  return true;
}

bool SchedulingQueue::Impl::Requeue(QueuedPod& pod, Requeueing requeueing, std::string_view label) {
  const bool backs_off = requeueing == Requeueing::AfterBackoff && backoff_.IsBackingOff(pod, clock_.Now());
  return backs_off ? MoveToBackoff(pod, label) : MoveToActive(pod, label, /*from_backoff=*/false);
}

void SchedulingQueue::Impl::Park(QueuedPod& pod, std::string_view label, bool arrives) {
  const bool gated = pod.gating_plugin >= 0;
  if (gated) ++gated_;
  pod.place = gated ? Place::Gated : Place::Unschedulable;
  if (waiting_.size() == 0) idle_since_ = Timestamp::max();
  waiting_.Insert(pod);
  idle_since_ = std::min(idle_since_, IdleSince(pod));
  // Gated pods count as unschedulable ones here, as upstream counts them.
  if (arrives) CountIncoming(QueueName::Unschedulable, label);
}

void SchedulingQueue::Impl::RequeueWoken(const std::vector<WaitingIndex::Woken>& woken, std::string_view label) {
  for (const auto& [pod, requeueing] : woken) {
    TakeFromPlace(*pod);
    if (!Requeue(*pod, requeueing, label)) Park(*pod, label, /*arrives=*/true);
  }
}

bool SchedulingQueue::Impl::ActivateOne(std::string_view uid) {
  QueuedPod* pod = known_.Find(uid);
  if (pod == nullptr || pod->place == Place::Active) return false;
  const bool from_backoff = pod->place == Place::Backoff || pod->place == Place::ErrorBackoff;
  const std::string_view label = interests_.force_activate().label;
  TakeFromPlace(*pod);
  if (MoveToActive(*pod, label, from_backoff)) return true;
  Park(*pod, label, /*arrives=*/false);
  return false;
}

void SchedulingQueue::Impl::UpdateWaiting(QueuedPod& pod, const PodInfoPtr& before, PodInfoPtr after) {
  TakeFromPlace(pod);
  const api::Object old_object = before->pod;
  const api::Object new_object = after->pod;
  pod.pod = std::move(after);
  UpdateNomination(*before->pod, pod.pod);
  std::string_view label = update_label_;
  if (!options_.hints) {
    const bool is_requeued = IsPodUpdated(*before->pod, *pod.pod->pod) && Requeue(pod, Requeueing::AfterBackoff, label);
    if (!is_requeued) Park(pod, label, /*arrives=*/false);
    return;
  }
  for (const framework::ClusterEvent& event : EventsOf(&old_object, &new_object, options_.changes)) {
    const EventInterest& interest = interests_.Of(event);
    label = interest.label;
    const Requeueing requeueing = [&] {
      const HintJudge::Timing timing(judge_);
      return judge_.Judge(pod, {interest, &old_object, &new_object});
    }();
    if (requeueing != Requeueing::Skip && Requeue(pod, requeueing, label)) return;
  }
  Park(pod, label, /*arrives=*/false);
}

void SchedulingQueue::Impl::NominateByStatus(const PodInfoPtr& pod) {
  nominator_.Remove(PodUid(*pod->pod));
  const std::string& node = pod->pod->status->nominated_node_name;
  if (!node.empty()) nominator_.Add(pod, node);
}

void SchedulingQueue::Impl::UpdateNomination(const api::Pod& before, const PodInfoPtr& after) {
  // A promise that the objects do not show yet is kept; otherwise the newer object tells.
  if (before.status->nominated_node_name.empty() && after->pod->status->nominated_node_name.empty()) {
    const std::string node(nominator_.NodeOf(PodUid(before)));
    if (node.empty()) return;
    nominator_.Remove(PodUid(before));
    nominator_.Add(after, node);
    return;
  }
  nominator_.Remove(PodUid(before));
  NominateByStatus(after);
}

void SchedulingQueue::Impl::CountIncoming(QueueName queue, std::string_view label) {
  if (metrics_ != nullptr) metrics_->Incoming(queue, label);
}

void SchedulingQueue::Impl::ReportSizes() {
  if (metrics_ == nullptr) return;
  const Sizes now = sizes();
  const auto report = [&](QueueName queue, size_t& before, size_t after) {
    if (std::exchange(before, after) != after) metrics_->SetPending(queue, after);
  };
  report(QueueName::Active, reported_.active, now.active);
  report(QueueName::Backoff, reported_.backoff, now.backoff);
  report(QueueName::Unschedulable, reported_.unschedulable, now.unschedulable);
  report(QueueName::Gated, reported_.gated, now.gated);
}

}  // namespace berth::queue
