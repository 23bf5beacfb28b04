// SPDX-License-Identifier: Apache-2.0
#include "queue/scheduling_queue.h"

#include "base/check.h"
#include "framework/node_info.h"
#include "queue/change_events.h"
#include "queue/status_nominations.h"

#include <memory>
#include <utility>

namespace berth::queue {
namespace {

// Every event that was registered for means Queue.
std::vector<QueueProfile> WithoutHints(std::vector<QueueProfile> profiles) {
  for (QueueProfile& profile : profiles) {
    for (QueueProfile::Plugin& plugin : profile.plugins) {
      for (framework::ClusterEventWithHint& registered : plugin.events) {
        registered.hint = nullptr;
        registered.keys = nullptr;
        registered.by_template = true;
      }
    }
  }
  return profiles;
}

}  // namespace

using framework::ClusterEvent;
using framework::PodInfoPtr;
using framework::PodUid;

SchedulingQueue::SchedulingQueue(const QueueOptions& options, std::vector<QueueProfile> profiles,
                                 const framework::QueueSortPlugin& order, framework::Nominator& nominator,
                                 const Clock& clock, metrics::SchedulerMetrics* metrics, TrackOf track_of)
    : options_(options),
      profiles_(options.hints ? std::move(profiles) : WithoutHints(std::move(profiles))),
      nominator_(nominator),
      clock_(clock),
      interests_(profiles_),
      judge_(profiles_, metrics),
      gates_(profiles_, metrics),
      metrics_(profiles_, metrics),
      places_(order, /*backoff_in_seconds=*/options.pop_from_backoff, interests_, std::move(track_of)),
      moves_(options_, gates_, places_, metrics_, nominator, clock),
      in_flight_(metrics),
      flushes_(options_, interests_, places_, moves_, in_flight_, clock.Now()) {
  for (const QueueProfile& profile : profiles_) BERTH_CHECK(profile.plugins.size() <= kMaxPlugins);
}

std::optional<uint32_t> SchedulingQueue::ProfileFor(std::string_view scheduler_name) const {
  for (size_t i = 0; i < profiles_.size(); ++i) {
    if (profiles_[i].scheduler_name == scheduler_name) return static_cast<uint32_t>(i);
  }
  return std::nullopt;
}

void SchedulingQueue::Add(PodInfoPtr pod) {
  const std::string_view uid = PodUid(*pod->pod);
  if (in_flight_.Has(uid) || places_.Find(uid) != nullptr) return;
  AddNew(std::move(pod), moves_.add_label());
  metrics_.ReportSizes(places_);
}

void SchedulingQueue::AddNew(PodInfoPtr pod, std::string_view label) {
  const std::optional<uint32_t> profile = ProfileFor(pod->spec().scheduler_name);
  BERTH_CHECK(profile.has_value());
  auto queued = std::make_unique<QueuedPod>();
  queued->pod = std::move(pod);
  queued->profile = *profile;
  moves_.Stamp(*queued);
  QueuedPod& added = places_.Insert(std::move(queued));
  if (!moves_.ToActive(added, label, /*from_backoff=*/false)) moves_.Park(added, label, /*arrives=*/true);
}

void SchedulingQueue::Update(const PodInfoPtr& before, PodInfoPtr after) {
  const std::string_view uid = PodUid(*after->pod);
  if (const framework::PodInfo* flying = in_flight_.Find(uid)) {
    UpdateInFlight(before != nullptr ? before->pod : flying->pod, after->pod);
    return;
  }
  QueuedPod* pod = places_.Find(uid);
  if (pod == nullptr) {
    // Of the same name but another uid: the pod was made anew between two looks.
    if (before != nullptr && PodUid(*before->pod) != uid) Remove(PodUid(*before->pod));
    AddNew(std::move(after), moves_.update_label());
    metrics_.ReportSizes(places_);
    return;
  }
  const PodInfoPtr old = before != nullptr ? before : pod->pod;
  switch (pod->place) {
    case Place::Active:
    case Place::Backoff:
    case Place::ErrorBackoff:
      UpdateInLine(*pod, std::move(after));
      UpdateNomination(nominator_, *old->pod, pod->pod);
      break;
    case Place::Unschedulable:
    case Place::Gated: UpdateWaiting(*pod, old, std::move(after)); break;
    case Place::None:
    case Place::InFlight: BERTH_CHECK(false);
  }
  metrics_.ReportSizes(places_);
}

void SchedulingQueue::UpdateInFlight(const std::shared_ptr<const api::Pod>& before,
                                     const std::shared_ptr<const api::Pod>& after) {
  if (!options_.hints && !IsPodUpdated(*before, *after)) return;
  const api::Object old_object = before;
  const api::Object new_object = after;
  for (const ClusterEvent& event : EventsOf(&old_object, &new_object, options_.changes)) {
    in_flight_.Note({interests_.Of(event), &old_object, &new_object});
  }
}

// The pod may belong elsewhere in its line afterwards.
void SchedulingQueue::UpdateInLine(QueuedPod& pod, PodInfoPtr after) {
  const Place place = pod.place;
  places_.TakeFromPlace(pod);
  pod.pod = std::move(after);
  places_.PutInLine(pod, place);
}

void SchedulingQueue::UpdateWaiting(QueuedPod& pod, const PodInfoPtr& before, PodInfoPtr after) {
  places_.TakeFromPlace(pod);
  const api::Object old_object = before->pod;
  const api::Object new_object = after->pod;
  pod.pod = std::move(after);
  UpdateNomination(nominator_, *before->pod, pod.pod);
  std::string_view label = moves_.update_label();
  if (!options_.hints) {
    const bool is_requeued =
        IsPodUpdated(*before->pod, *pod.pod->pod) && moves_.Requeue(pod, Requeueing::AfterBackoff, label);
    if (!is_requeued) moves_.Park(pod, label, /*arrives=*/false);
    return;
  }
  for (const ClusterEvent& event : EventsOf(&old_object, &new_object, options_.changes)) {
    const EventInterest& interest = interests_.Of(event);
    label = interest.label;
    const Requeueing requeueing = [&] {
      const HintJudge::Timing timing(judge_);
      return judge_.Judge(pod, {interest, &old_object, &new_object});
    }();
    if (requeueing != Requeueing::Skip && moves_.Requeue(pod, requeueing, label)) return;
  }
  moves_.Park(pod, label, /*arrives=*/false);
}

void SchedulingQueue::Remove(std::string_view uid) {
  nominator_.Remove(uid);
  QueuedPod* pod = places_.Find(uid);
  if (pod == nullptr) return;
  const QueuedPodPtr removed = places_.Release(*pod);
  metrics_.CountRejectors(*removed, -1);
  metrics_.ReportSizes(places_);
}

QueuedPodPtr SchedulingQueue::Pop(const Bitset& closed) {
  QueuedPod* top = places_.active().First(closed);
  if (top == nullptr) {
    if (options_.pop_from_backoff) top = places_.backing_off().First(closed);
    if (top == nullptr) return nullptr;
    metrics_.CountIncoming(metrics::QueueName::Active, kPopFromBackoffQ);
  }
  QueuedPodPtr pod = places_.Release(*top);
  pod->place = Place::InFlight;
  ++pod->attempts;
  ++scheduling_cycle_;
  in_flight_.Start(pod->pod);
  metrics_.CountRejectors(*pod, -1);
  metrics_.ReportSizes(places_);
  return pod;
}

Place SchedulingQueue::Return(QueuedPodPtr pod, const FailedAttempt& failure) {
  const PodInfoPtr info = pod->pod;  // outlives the uid's use below, whatever becomes of `pod`
  const std::string_view uid = PodUid(*info->pod);
  if (const QueuedPod* present = places_.Find(uid)) {
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
  moves_.Stamp(*pod);
  pod->was_flushed = false;
  pod->flushed.reset();
  metrics_.CountRejectors(*pod, +1);

  std::optional<Requeueing> requeueing = Requeueing::AfterBackoff;
  if (pod->rejectors.any()) {
    const HintJudge::Timing timing(judge_);
    requeueing = in_flight_.Weigh(uid, pod->pending.any(), [&](const Happening& happening) {
      return options_.hints ? judge_.Judge(*pod, happening) : Requeueing::AfterBackoff;
    });
  }
  QueuedPod& returned = places_.Insert(std::move(pod));
  if (requeueing == Requeueing::Skip ||
      !moves_.Requeue(returned, requeueing.value_or(Requeueing::AfterBackoff), kScheduleAttemptFailure)) {
    moves_.Park(returned, kScheduleAttemptFailure, /*arrives=*/true);
  }
  in_flight_.Finish(uid);
  metrics_.ReportSizes(places_);
  return returned.place;
}

void SchedulingQueue::SetRejectors(QueuedPod& pod, const FailedAttempt& failure) {
  pod.rejectors.reset();
  pod.pending.reset();
  pod.gating_plugin = -1;
  if (failure.error) return;
  for (const std::string& name : failure.rejectors) pod.rejectors.set(PluginIndex(pod.profile, name));
  for (const std::string& name : failure.pending) pod.pending.set(PluginIndex(pod.profile, name));
  pod.rejectors |= pod.pending;
}

// Whoever is not a plugin of the profile, an extender for one, becomes one that registers for nothing.
size_t SchedulingQueue::PluginIndex(uint32_t profile, const std::string& name) {
  std::vector<QueueProfile::Plugin>& plugins = profiles_[profile].plugins;
  for (size_t i = 0; i < plugins.size(); ++i) {
    if (plugins[i].name == name) return i;
  }
  if (plugins.size() == kMaxPlugins) return kMaxPlugins - 1;
  plugins.push_back({name, nullptr, {}});
  return plugins.size() - 1;
}

void SchedulingQueue::Wake(const WakingChange& change) {
  const EventInterest& interest = interests_.Of(change.event);
  if (!interest.anyone) return;
  const Happening happening{interest, change.before, change.after};
  std::vector<WaitingIndex::Woken> woken = [&] {
    const HintJudge::Timing timing(judge_);
    return places_.FindWoken(happening, {change.max_priority, change.except}, judge_);
  }();
  if (change.only) std::erase_if(woken, [&](const WaitingIndex::Woken& each) { return !change.only(*each.pod->pod); });
  moves_.RequeueWoken(woken, interest.label);
  in_flight_.Note(happening);
  metrics_.ReportSizes(places_);
}

void SchedulingQueue::Activate(std::span<const std::string> uids) {
  for (const std::string& uid : uids) {
    if (ActivateOne(uid)) continue;
    const framework::PodInfo* in_flight = in_flight_.Find(uid);
    if (in_flight == nullptr) continue;
    const api::Object target = in_flight->pod;
    in_flight_.Note({interests_.force_activate(), nullptr, &target});
  }
  metrics_.ReportSizes(places_);
}

bool SchedulingQueue::ActivateOne(std::string_view uid) {
  QueuedPod* pod = places_.Find(uid);
  if (pod == nullptr || pod->place == Place::Active) return false;
  const bool from_backoff = pod->place == Place::Backoff || pod->place == Place::ErrorBackoff;
  const std::string_view label = interests_.force_activate().label;
  places_.TakeFromPlace(*pod);
  if (moves_.ToActive(*pod, label, from_backoff)) return true;
  moves_.Park(*pod, label, /*arrives=*/false);
  return false;
}

void SchedulingQueue::Tick() {
  flushes_.Flush(clock_.Now());
  metrics_.ReportSizes(places_);
}

Place SchedulingQueue::PlaceOf(std::string_view uid) const {
  if (in_flight_.Has(uid)) return Place::InFlight;
  const QueuedPod* pod = places_.Find(uid);
  return pod == nullptr ? Place::None : pod->place;
}

}  // namespace berth::queue
