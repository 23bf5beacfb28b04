// SPDX-License-Identifier: Apache-2.0
#include "queue/test_naive_queue.h"

#include "framework/event_objects.h"
#include "framework/node_info.h"
#include "queue/change_events.h"

#include <algorithm>
#include <chrono>

namespace berth::queue::test {

using framework::ClusterEvent;
using framework::EventResource;
using framework::PodInfoPtr;

namespace {

std::string UidOf(const PodInfoPtr& pod) { return pod->pod->meta.uid; }
const api::Object* Pointer(const std::optional<api::Object>& object) { return object ? &*object : nullptr; }
Timestamp WholeSecond(Timestamp moment) { return std::chrono::floor<std::chrono::seconds>(moment); }

}  // namespace

bool NaiveQueue::IsWildCard(const ClusterEvent& event) {
  return event.resource == EventResource::WildCard && event.actions == framework::kAll;
}

bool NaiveQueue::Interests(const ClusterEvent& event) const {
  if (IsWildCard(event)) return true;
  for (const QueueProfile& profile : profiles_) {
    for (const QueueProfile::Plugin& plugin : profile.plugins) {
      for (const auto& registered : plugin.events) {
        if (Matches(registered.event, event)) return true;
      }
    }
  }
  return false;
}

bool NaiveQueue::InterestsGate(const std::string& name, const ClusterEvent& event) const {
  for (const QueueProfile& profile : profiles_) {
    for (const QueueProfile::Plugin& plugin : profile.plugins) {
      if (plugin.name != name) continue;
      for (const auto& registered : plugin.events) {
        if (Matches(registered.event, event)) return true;
      }
    }
  }
  return false;
}

NaiveQueue::Hint NaiveQueue::Worth(const Pod& pod, const ClusterEvent& event, const api::Object* before,
                                   const api::Object* after) const {
  if (pod.rejectors.empty() && pod.pending.empty()) return Hint::AfterBackoff;
  if (IsWildCard(event)) {
    if (after == nullptr) return Hint::AfterBackoff;
    const auto* target = framework::ObjectAs<api::Pod>(after);
    return target != nullptr && target->meta.uid == UidOf(pod.info) ? Hint::AfterBackoff : Hint::Skip;
  }
  Hint best = Hint::Skip;
  for (const QueueProfile::Plugin& plugin : profiles_[pod.profile].plugins) {
    const bool pending = pod.pending.contains(plugin.name);
    if (!pending && !pod.rejectors.contains(plugin.name)) continue;
    for (const auto& registered : plugin.events) {
      if (!Matches(registered.event, event)) continue;
      if (registered.hint) {
        const auto hint = registered.hint(*pod.info, before, after);
        if (hint && *hint == framework::QueueingHint::QueueSkip) continue;
      }
      best = std::max(best, pending ? Hint::Immediately : Hint::AfterBackoff);
    }
  }
  return best;
}

void NaiveQueue::RunPreEnqueue(Pod& pod) const {
  const std::string last = pod.gating;
  std::vector<const QueueProfile::Plugin*> plugins;
  for (const auto& plugin : profiles_[pod.profile].plugins) {
    if (plugin.pre_enqueue != nullptr) plugins.push_back(&plugin);
  }
  std::stable_partition(plugins.begin(), plugins.end(), [&](const auto* plugin) { return plugin->name == last; });
  for (const QueueProfile::Plugin* plugin : plugins) {
    if (plugin->pre_enqueue->PreEnqueue(*pod.info->pod).ok()) continue;
    pod.rejectors.insert(plugin->name);
    pod.gating = plugin->name;
    return;
  }
  pod.gating.clear();
}

Timestamp NaiveQueue::BackoffEnd(const Pod& pod) const {
  const uint32_t failures = pod.error_count > 0 ? pod.error_count : pod.unschedulable_count;
  if (failures == 0 || options_.max_backoff == Duration::zero()) return Timestamp::min();
  Duration penalty = options_.initial_backoff;
  for (uint32_t i = 1; i < failures && penalty < options_.max_backoff; ++i) penalty *= 2;
  return WholeSecond(pod.queued + std::min(penalty, options_.max_backoff));
}

bool NaiveQueue::BacksOff(const Pod& pod) const { return !(BackoffEnd(pod) < WholeSecond(clock_.Now())); }

bool NaiveQueue::ToActive(Pod& pod, const std::string& label, bool from_backoff) {
  if (!from_backoff) RunPreEnqueue(pod);
  if (!pod.gating.empty()) {
    pod.was_flushed = false;
    pod.place = Place::Gated;
    return false;
  }
  if (!pod.first_attempt) pod.first_attempt = clock_.Now();
  pod.place = Place::Active;
  if (label == "UnschedulablePodAdd" || label == "UnschedulablePodUpdate") {
    nominator_.Remove(UidOf(pod.info));
    const std::string& node = pod.info->pod->status->nominated_node_name;
    if (!node.empty()) nominator_.Add(pod.info, node);
  }
  return true;
}

bool NaiveQueue::ToBackoff(Pod& pod) {
  RunPreEnqueue(pod);
  if (!pod.gating.empty()) {
    pod.was_flushed = false;
    pod.place = Place::Gated;
    return false;
  }
  pod.place = pod.rejectors.empty() && pod.pending.empty() ? Place::ErrorBackoff : Place::Backoff;
  return true;
}

bool NaiveQueue::Requeue(Pod& pod, Hint hint, const std::string& label) {
  if (hint == Hint::Skip) {
    pod.place = pod.gating.empty() ? Place::Unschedulable : Place::Gated;
    return false;
  }
  if (hint == Hint::AfterBackoff && BacksOff(pod)) return ToBackoff(pod);
  return ToActive(pod, label, /*from_backoff=*/false);
}

void NaiveQueue::Add(PodInfoPtr pod) {
  const std::string uid = UidOf(pod);
  if (pods_.contains(uid)) return;
  Pod& added = pods_[uid];
  added.info = std::move(pod);
  while (profiles_[added.profile].scheduler_name != added.info->spec().scheduler_name) ++added.profile;
  added.queued = clock_.Now();
  added.arrival = ++arrivals_;
  ToActive(added, "UnschedulablePodAdd", /*from_backoff=*/false);
}

void NaiveQueue::UpdateNomination(const api::Pod& before, const PodInfoPtr& after) {
  const std::string promised(nominator_.NodeOf(before.meta.uid));
  nominator_.Remove(before.meta.uid);
  const std::string& node = after->pod->status->nominated_node_name;
  if (!node.empty()) {
    nominator_.Add(after, node);
  } else if (before.status->nominated_node_name.empty() && !promised.empty()) {
    nominator_.Add(after, promised);
  }
}

void NaiveQueue::Update(const PodInfoPtr& before, PodInfoPtr after) {
  const api::Object old_object = before->pod;
  const api::Object new_object = after->pod;
  const std::vector<ClusterEvent> events = EventsOf(&old_object, &new_object);
  const auto it = pods_.find(UidOf(after));
  if (it == pods_.end()) {
    Pod& added = pods_[UidOf(after)];
    added.info = std::move(after);
    while (profiles_[added.profile].scheduler_name != added.info->spec().scheduler_name) ++added.profile;
    added.queued = clock_.Now();
    added.arrival = ++arrivals_;
    ToActive(added, "UnschedulablePodUpdate", /*from_backoff=*/false);
    return;
  }
  Pod& pod = it->second;
  if (pod.place == Place::InFlight) {
    for (const ClusterEvent& event : events) in_flight_.push_back({"", event, old_object, new_object});
    return;
  }
  pod.info = std::move(after);
  UpdateNomination(*before->pod, pod.info);
  if (!Waits(pod)) return;
  for (const ClusterEvent& event : events) {
    if (Requeue(pod, Worth(pod, event, &old_object, &new_object), Label(event))) return;
  }
}

void NaiveQueue::Remove(const std::string& uid) {
  nominator_.Remove(uid);
  const auto it = pods_.find(uid);
  if (it != pods_.end() && it->second.place != Place::InFlight) pods_.erase(it);
}

bool NaiveQueue::Before(const Pod& a, const Pod& b) const {
  const framework::QueuedPodInfo first{a.info, a.queued, a.attempts};
  const framework::QueuedPodInfo second{b.info, b.queued, b.attempts};
  if (order_.Less(first, second)) return true;
  if (order_.Less(second, first)) return false;
  return a.arrival < b.arrival;
}

std::string NaiveQueue::Pop() {
  Pod* best = nullptr;
  for (auto& [uid, pod] : pods_) {
    if (pod.place == Place::Active && (best == nullptr || Before(pod, *best))) best = &pod;
  }
  if (best == nullptr) {
    for (auto& [uid, pod] : pods_) {
      if (pod.place != Place::Backoff) continue;
      if (best == nullptr || BackoffEnd(pod) < BackoffEnd(*best) ||
          (BackoffEnd(pod) == BackoffEnd(*best) && Before(pod, *best))) {
        best = &pod;
      }
    }
  }
  if (best == nullptr) return "";
  best->place = Place::InFlight;
  ++best->attempts;
  in_flight_.push_back({UidOf(best->info), {}, {}, {}});
  return UidOf(best->info);
}

void NaiveQueue::Done(const std::string& uid) {
  in_flight_.remove_if([&](const Entry& entry) { return entry.marker == uid; });
  while (!in_flight_.empty() && in_flight_.front().marker.empty()) in_flight_.pop_front();
  const auto it = pods_.find(uid);
  if (it != pods_.end() && it->second.place == Place::InFlight) pods_.erase(it);
}

void NaiveQueue::Return(const std::string& uid, PodInfoPtr newest, const SchedulingQueue::FailedAttempt& failure) {
  Pod& pod = pods_.at(uid);
  pod.info = std::move(newest);
  pod.rejectors.clear();
  pod.pending.clear();
  pod.gating.clear();
  if (!failure.error) {
    pod.rejectors.insert(failure.rejectors.begin(), failure.rejectors.end());
    pod.pending.insert(failure.pending.begin(), failure.pending.end());
  }
  const bool broken = pod.rejectors.empty() && pod.pending.empty();
  pod.unschedulable_count += broken ? 0 : 1;
  pod.error_count = broken ? pod.error_count + 1 : 0;
  pod.queued = clock_.Now();
  pod.arrival = ++arrivals_;
  pod.was_flushed = false;
  pod.flushed.reset();
  Hint hint = broken ? Hint::AfterBackoff : Hint::Skip;
  bool took_off = false;
  for (const Entry& entry : in_flight_) {
    if (entry.marker == uid) took_off = true;
    if (!took_off || !entry.marker.empty()) continue;
    hint = std::max(hint, broken ? hint : Worth(pod, entry.event, Pointer(entry.before), Pointer(entry.after)));
  }
  Requeue(pod, hint, "ScheduleAttemptFailure");
  Done(uid);
}

void NaiveQueue::Move(const std::vector<Pod*>& pods, const ClusterEvent& event, const api::Object* before,
                      const api::Object* after) {
  if (!Interests(event)) return;
  for (Pod* pod : pods) {
    if (!pod->gating.empty() && !IsWildCard(event) && !InterestsGate(pod->gating, event)) continue;
    const Hint hint = Worth(*pod, event, before, after);
    if (hint != Hint::Skip) Requeue(*pod, hint, Label(event));
  }
  if (std::none_of(in_flight_.begin(), in_flight_.end(), [](const Entry& e) { return !e.marker.empty(); })) return;
  const auto copy = [](const api::Object* object) {
    return object == nullptr ? std::nullopt : std::optional<api::Object>(*object);
  };
  in_flight_.push_back({"", event, copy(before), copy(after)});
}

void NaiveQueue::Wake(const WakingChange& change) {
  std::vector<Pod*> pods;
  for (auto& [uid, pod] : pods_) {
    if (!Waits(pod) || uid == change.except) continue;
    if (change.max_priority && pod.info->pod->priority() > *change.max_priority) continue;
    pods.push_back(&pod);
  }
  Move(pods, change.event, change.before, change.after);
}

void NaiveQueue::Activate(const std::string& uid) {
  const auto it = pods_.find(uid);
  if (it == pods_.end()) return;
  Pod& pod = it->second;
  switch (pod.place) {
    case Place::Unschedulable:
    case Place::Gated: ToActive(pod, "ForceActivate", /*from_backoff=*/false); break;
    case Place::Backoff:
    case Place::ErrorBackoff: ToActive(pod, "ForceActivate", /*from_backoff=*/true); break;
    case Place::InFlight: in_flight_.push_back({"", {}, std::nullopt, api::Object(pod.info->pod)}); break;
    case Place::None:
    case Place::Active: break;
  }
}

void NaiveQueue::FlushBackoff() {
  for (auto& [uid, pod] : pods_) {
    if (pod.place != Place::Backoff && pod.place != Place::ErrorBackoff) continue;
    if (!BacksOff(pod)) ToActive(pod, "BackoffComplete", /*from_backoff=*/true);
  }
}

void NaiveQueue::FlushWaiting() {
  std::vector<Pod*> pods;
  for (auto& [uid, pod] : pods_) {
    if (!Waits(pod)) continue;
    const Timestamp since = pod.flushed ? std::max(pod.queued, *pod.flushed) : pod.queued;
    if (clock_.Now() - since <= options_.max_unschedulable) continue;
    pod.was_flushed = true;
    pod.flushed = clock_.Now();
    pods.push_back(&pod);
  }
  if (!pods.empty()) Move(pods, {}, nullptr, nullptr);
}

size_t NaiveQueue::in_flight_events() const {
  return static_cast<size_t>(
      std::count_if(in_flight_.begin(), in_flight_.end(), [](const Entry& entry) { return entry.marker.empty(); }));
}

}  // namespace berth::queue::test
