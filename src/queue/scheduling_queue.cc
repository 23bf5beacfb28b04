// SPDX-License-Identifier: Apache-2.0
#include "queue/scheduling_queue.h"

#include "base/check.h"
#include "framework/node_info.h"
#include "queue/change_events.h"
#include "queue/queue_metrics.h"
#include "queue/scheduling_queue_impl.h"

#include <algorithm>
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
using framework::EventResource;
using framework::PodInfoPtr;
using framework::PodUid;

SchedulingQueue::Impl::Impl(const QueueOptions& options, std::vector<QueueProfile> profiles,
                            const framework::QueueSortPlugin& order, framework::Nominator& nominator,
                            const Clock& clock, metrics::SchedulerMetrics* metrics)
    : options_(options),
      profiles_(options.hints ? std::move(profiles) : WithoutHints(std::move(profiles))),
      nominator_(nominator),
      clock_(clock),
      metrics_(metrics),
      interests_(profiles_),
      judge_(profiles_, metrics),
      gates_(profiles_, metrics),
      backoff_(options.initial_backoff, options.max_backoff, /*aligned=*/options.pop_from_backoff),
      add_label_(Label({EventResource::UnschedulablePod, framework::kAdd})),
      update_label_(Label({EventResource::UnschedulablePod, framework::kUpdate})),
      active_(QueueSortOrder{&order}),
      backing_off_(BackoffOrder{{&order}, options.pop_from_backoff}),
      after_error_(ErrorBackoffOrder{}),
      in_flight_(metrics),
      next_waiting_flush_(clock.Now()) {
  for (const QueueProfile& profile : profiles_) BERTH_CHECK(profile.plugins.size() <= kMaxPlugins);
}

std::optional<uint32_t> SchedulingQueue::Impl::ProfileFor(std::string_view scheduler_name) const {
  for (size_t i = 0; i < profiles_.size(); ++i) {
    if (profiles_[i].scheduler_name == scheduler_name) return static_cast<uint32_t>(i);
  }
  return std::nullopt;
}

void SchedulingQueue::Impl::Add(PodInfoPtr pod) {
  const std::string_view uid = PodUid(*pod->pod);
  if (in_flight_.Has(uid) || known_.Find(uid) != nullptr) return;
  AddNew(std::move(pod), add_label_);
  ReportSizes();
}

void SchedulingQueue::Impl::AddNew(PodInfoPtr pod, std::string_view label) {
  const std::optional<uint32_t> profile = ProfileFor(pod->spec().scheduler_name);
  BERTH_CHECK(profile.has_value());
  auto queued = std::make_unique<QueuedPod>();
  queued->pod = std::move(pod);
  queued->profile = *profile;
  Stamp(*queued);
  QueuedPod& added = known_.Insert(std::move(queued));
  if (!MoveToActive(added, label, /*from_backoff=*/false)) Park(added, label, /*arrives=*/true);
}

void SchedulingQueue::Impl::Stamp(QueuedPod& pod) {
  pod.queued = clock_.Now();
  pod.arrival = ++arrivals_;
  pod.backoff_until = backoff_.EndFor(pod);
}

void SchedulingQueue::Impl::Update(const PodInfoPtr& before, PodInfoPtr after) {
  const std::string_view uid = PodUid(*after->pod);
  if (const framework::PodInfo* flying = in_flight_.Find(uid)) {
    const api::Object old_object = before != nullptr ? before->pod : flying->pod;
    const api::Object new_object = after->pod;
    if (!options_.hints && !IsPodUpdated(before != nullptr ? *before->pod : *flying->pod, *after->pod)) return;
    for (const ClusterEvent& event : EventsOf(&old_object, &new_object, options_.changes)) {
      in_flight_.Note({interests_.Of(event), &old_object, &new_object});
    }
    return;
  }
  QueuedPod* pod = known_.Find(uid);
  if (pod == nullptr) {
    // Of the same name but another uid: the pod was made anew between two looks.
    if (before != nullptr && PodUid(*before->pod) != uid) Remove(PodUid(*before->pod));
    AddNew(std::move(after), update_label_);
    ReportSizes();
    return;
  }
  const PodInfoPtr old = before != nullptr ? before : pod->pod;
  switch (pod->place) {
    case Place::Active:
    case Place::Backoff:
    case Place::ErrorBackoff:
      UpdateInLine(*pod, std::move(after));
      UpdateNomination(*old->pod, pod->pod);
      break;
    case Place::Unschedulable:
    case Place::Gated: UpdateWaiting(*pod, old, std::move(after)); break;
    case Place::None:
    case Place::InFlight: BERTH_CHECK(false);
  }
  ReportSizes();
}

// The pod may belong elsewhere in its line afterwards.
void SchedulingQueue::Impl::UpdateInLine(QueuedPod& pod, PodInfoPtr after) {
  const Place place = pod.place;
  TakeFromPlace(pod);
  pod.pod = std::move(after);
  PutInLine(pod, place);
}

void SchedulingQueue::Impl::Remove(std::string_view uid) {
  nominator_.Remove(uid);
  QueuedPod* pod = known_.Find(uid);
  if (pod == nullptr) return;
  TakeFromPlace(*pod);
  CountRejectors(metrics_, profiles_[pod->profile], *pod, -1);
  known_.Take(*pod).reset();
  ReportSizes();
}

QueuedPodPtr SchedulingQueue::Impl::Pop() {
  QueuedPod* top = active_.First();
  if (top == nullptr) {
    if (options_.pop_from_backoff) top = backing_off_.First();
    if (top == nullptr) return nullptr;
    CountIncoming(metrics::QueueName::Active, kPopFromBackoffQ);
  }
  TakeFromPlace(*top);
  QueuedPodPtr pod = known_.Take(*top);
  pod->place = Place::InFlight;
  ++pod->attempts;
  ++scheduling_cycle_;
  in_flight_.Start(pod->pod);
  CountRejectors(metrics_, profiles_[pod->profile], *pod, -1);
  ReportSizes();
  return pod;
}

void SchedulingQueue::Impl::Wake(const WakingChange& change) {
  const EventInterest& interest = interests_.Of(change.event);
  if (!interest.anyone) return;
  const Happening happening{interest, change.before, change.after};
  const std::vector<WaitingIndex::Woken> woken = [&] {
    const HintJudge::Timing timing(judge_);
    return waiting_.FindWoken(happening, {change.max_priority, change.except}, judge_);
  }();
  RequeueWoken(woken, interest.label);
  in_flight_.Note(happening);
  ReportSizes();
}

void SchedulingQueue::Impl::Activate(std::span<const std::string> uids) {
  for (const std::string& uid : uids) {
    if (ActivateOne(uid)) continue;
    const framework::PodInfo* in_flight = in_flight_.Find(uid);
    if (in_flight == nullptr) continue;
    const api::Object target = in_flight->pod;
    in_flight_.Note({interests_.force_activate(), nullptr, &target});
  }
  ReportSizes();
}

SchedulingQueue::Sizes SchedulingQueue::Impl::sizes() const {
  return {.active = active_.size(),
          .backoff = backing_off_.size() + after_error_.size(),
          .unschedulable = waiting_.size() - gated_,
          .gated = gated_,
          .in_flight = in_flight_.pods(),
          .in_flight_events = in_flight_.events()};
}

Place SchedulingQueue::Impl::PlaceOf(std::string_view uid) const {
  if (in_flight_.Has(uid)) return Place::InFlight;
  const QueuedPod* pod = known_.Find(uid);
  return pod == nullptr ? Place::None : pod->place;
}

void SchedulingQueue::Impl::ForEach(const std::function<void(const QueuedPod&)>& visit) const {
  std::vector<const QueuedPod*> pods;
  pods.reserve(known_.size());
  known_.ForEach([&](const QueuedPod& pod) { pods.push_back(&pod); });
  std::sort(pods.begin(), pods.end(), [](const auto* a, const auto* b) { return a->arrival < b->arrival; });
  for (const QueuedPod* pod : pods) visit(*pod);
}

SchedulingQueue::SchedulingQueue(const QueueOptions& options, std::vector<QueueProfile> profiles,
                                 const framework::QueueSortPlugin& order, framework::Nominator& nominator,
                                 const Clock& clock, metrics::SchedulerMetrics* metrics)
    : impl_(std::make_unique<Impl>(options, std::move(profiles), order, nominator, clock, metrics)) {}
SchedulingQueue::~SchedulingQueue() = default;

std::optional<uint32_t> SchedulingQueue::ProfileFor(std::string_view scheduler_name) const {
  return impl_->ProfileFor(scheduler_name);
}
void SchedulingQueue::Add(PodInfoPtr pod) { impl_->Add(std::move(pod)); }
void SchedulingQueue::Update(const PodInfoPtr& before, PodInfoPtr after) { impl_->Update(before, std::move(after)); }
void SchedulingQueue::Remove(std::string_view uid) { impl_->Remove(uid); }
QueuedPodPtr SchedulingQueue::Pop() { return impl_->Pop(); }
void SchedulingQueue::Done(std::string_view uid) { impl_->Done(uid); }
Place SchedulingQueue::Return(QueuedPodPtr pod, const FailedAttempt& failure) {
  return impl_->Return(std::move(pod), failure);
}
void SchedulingQueue::Wake(const WakingChange& change) { impl_->Wake(change); }
std::string_view SchedulingQueue::LabelOf(const ClusterEvent& event) { return impl_->LabelOf(event); }
void SchedulingQueue::Activate(std::span<const std::string> uids) { impl_->Activate(uids); }
void SchedulingQueue::Tick() { impl_->Tick(); }
std::optional<Timestamp> SchedulingQueue::NextTick() const { return impl_->NextTick(); }
SchedulingQueue::Sizes SchedulingQueue::sizes() const { return impl_->sizes(); }
const QueuedPod* SchedulingQueue::Find(std::string_view uid) const { return impl_->Find(uid); }
Place SchedulingQueue::PlaceOf(std::string_view uid) const { return impl_->PlaceOf(uid); }
void SchedulingQueue::ForEach(const std::function<void(const QueuedPod&)>& visit) const { impl_->ForEach(visit); }
const QueueProfile& SchedulingQueue::profile(uint32_t index) const { return impl_->profile(index); }
int64_t SchedulingQueue::scheduling_cycle() const { return impl_->scheduling_cycle(); }

}  // namespace berth::queue
