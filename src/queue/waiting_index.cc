// SPDX-License-Identifier: Apache-2.0
#include "queue/waiting_index.h"

#include "base/hash.h"
#include "framework/node_info.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace berth::queue {
namespace {

const api::Pod& PodOf(const QueuedPod& queued) { return *queued.pod->pod; }

template <typename Visit>
void ForEachInRing(QueuedPod& leader, const Visit& visit) {
  QueuedPod* pod = &leader;
  do {
    visit(*pod);
    pod = pod->next;
  } while (pod != &leader);
}

}  // namespace

size_t WaitingIndex::RejectionHash::operator()(const Rejection& rejection) const {
  uint64_t hash = rejection.profile;
  hash = MixHash(hash, std::hash<PluginBits>()(rejection.rejectors));
  hash = MixHash(hash, std::hash<PluginBits>()(rejection.pending));
  hash = MixHash(hash, static_cast<uint64_t>(rejection.gating_plugin + 1));
  return hash;
}

bool WaitingIndex::Alike(const QueuedPod& a, const QueuedPod& b) {
  return a.pod->pod_class == b.pod->pod_class && Rejection::Of(a) == Rejection::Of(b);
}

uint64_t WaitingIndex::AlikeHash(const QueuedPod& pod) {
  return MixHash(RejectionHash()(Rejection::Of(pod)), std::hash<const void*>()(pod.pod->pod_class.get()));
}

void WaitingIndex::Insert(QueuedPod& pod) {
  ++size_;
  const uint64_t hash = AlikeHash(pod);
  QueuedPod* leader = leaders_.Find(hash, [&](const QueuedPod& other) { return Alike(pod, other); });
  if (leader == nullptr) {
    AddRing(pod, hash);
    return;
  }
  pod.next = leader;
  pod.previous = leader->previous;
  pod.previous->next = &pod;
  leader->previous = &pod;
}

void WaitingIndex::AddRing(QueuedPod& pod, uint64_t hash) {
  pod.leads_ring = true;
  pod.next = pod.previous = &pod;
  leaders_.Insert(pod, hash);

  RingId id = static_cast<RingId>(rings_.size());
  if (free_ids_.empty()) {
    rings_.emplace_back();
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
  }
  pod.position = id;
  const Rejection rejection = Rejection::Of(pod);
  Cohort& cohort = cohorts_[rejection];
  Ring& ring = rings_[id];
  ring.leader = &pod;
  ring.cohort = &cohort;
  ring.position = static_cast<uint32_t>(cohort.rings.size());
  cohort.rings.push_back(id);
  EnterKeys(id, rejection);
}

void WaitingIndex::EnterKeys(RingId id, const Rejection& rejection) {
  Ring& ring = rings_[id];
  const std::vector<EventInterest::Registration>& keyed = interests_.keyed(rejection.profile);
  ring.cohort->keyed.resize(keyed.size());
  for (size_t i = 0; i < keyed.size(); ++i) {
    if (!rejection.rejectors.test(keyed[i].plugin)) continue;
    scratch_keys_.clear();
    if (!keyed[i].keys->needed(*ring.leader->pod, scratch_keys_)) scratch_keys_.assign(1, kEveryChange);
    std::sort(scratch_keys_.begin(), scratch_keys_.end());
    scratch_keys_.erase(std::unique(scratch_keys_.begin(), scratch_keys_.end()), scratch_keys_.end());
    for (const uint64_t key : scratch_keys_) {
      std::vector<RingId>& ids = ring.cohort->keyed[i][key];
      ring.keys.push_back({key, static_cast<uint32_t>(i), static_cast<uint32_t>(ids.size())});
      ids.push_back(id);
    }
  }
}

void WaitingIndex::LeaveKey(const KeyEntry& entry, Cohort& cohort) {
  RingsByKey& by_key = cohort.keyed[entry.keys_place];
  const auto found = by_key.find(entry.key);
  std::vector<RingId>& ids = found->second;
  if (ids.size() == 1) {
    by_key.erase(found);
    return;
  }
  // The last one moves into the gap.
  const RingId moved = ids.back();
  ids[entry.position] = moved;
  ids.pop_back();
  for (KeyEntry& other : rings_[moved].keys) {
    if (other.key == entry.key && other.keys_place == entry.keys_place) other.position = entry.position;
  }
}

void WaitingIndex::Erase(QueuedPod& pod) {
  --size_;
  QueuedPod* next = pod.next;
  if (next == &pod) {
    DropRing(pod);
  } else {
    next->previous = pod.previous;
    pod.previous->next = next;
    if (pod.leads_ring) {
      leaders_.Replace(pod, *next, AlikeHash(pod));
      next->leads_ring = true;
      next->position = pod.position;
      rings_[pod.position].leader = next;
    }
  }
  pod.leads_ring = false;
  pod.next = pod.previous = nullptr;
}

void WaitingIndex::DropRing(QueuedPod& pod) {
  leaders_.Erase(pod, AlikeHash(pod));
  const RingId id = pod.position;
  Ring& ring = rings_[id];
  Cohort& cohort = *ring.cohort;
  for (const KeyEntry& entry : ring.keys) LeaveKey(entry, cohort);
  const RingId moved = cohort.rings.back();
  cohort.rings[ring.position] = moved;
  rings_[moved].position = ring.position;
  cohort.rings.pop_back();
  if (cohort.rings.empty()) cohorts_.erase(Rejection::Of(pod));
  ring.leader = nullptr;
  ring.keys.clear();
  free_ids_.push_back(id);
}

void WaitingIndex::ForEach(const std::function<void(QueuedPod&)>& visit) const {
  for (const Ring& ring : rings_) {
    if (ring.leader != nullptr) ForEachInRing(*ring.leader, visit);
  }
}

// One event looking for the pods it wakes.
class WaitingIndex::Search {
 public:
  Search(WaitingIndex& index, const Happening& happening, const Limits& limits, const HintJudge& judge)
      : index_(index), number_(++index.searches_), happening_(happening), limits_(limits), judge_(judge) {}

  void LookAt(const Rejection& rejection, const Cohort& cohort) {
    const EventInterest& interest = happening_.interest;
    const EventInterest::OfProfile& of_profile = interest.profiles[rejection.profile];
    if (!interest.wildcard) {
      // A gated pod stays gated unless the event means something to the plugin that gates it.
      const bool gated = rejection.gating_plugin >= 0;
      if (gated && !of_profile.gates.test(static_cast<size_t>(rejection.gating_plugin))) return;
      if (rejection.rejectors.any() && (rejection.rejectors & of_profile.plugins).none()) return;
    }
    if (interest.wildcard || rejection.rejectors.none()) {
      for (const RingId id : cohort.rings) {
        if (MayWake(id)) JudgeEach(*index_.rings_[id].leader);
      }
      return;
    }
    Sort(rejection, of_profile);
    if (FindKeys()) {
      JudgeKeyed(cohort);
    } else {
      JudgeAll(cohort);
    }
  }

  std::vector<Woken> Finish() && {
    std::sort(woken_.begin(), woken_.end(),
              [](const Woken& a, const Woken& b) { return a.pod->arrival < b.pod->arrival; });
    return std::move(woken_);
  }

 private:
  using Registration = EventInterest::Registration;

  // Those of the cohort's rejectors to ask, per ring and per pod.
  void Sort(const Rejection& rejection, const EventInterest::OfProfile& of_profile) {
    per_ring_.clear();
    per_pod_.clear();
    pending_ = rejection.pending;
    for (const Registration& registration : of_profile.registrations) {
      if (!rejection.rejectors.test(registration.plugin)) continue;
      (registration.by_template ? per_ring_ : per_pod_).push_back(&registration);
    }
  }

  // What the event offers to each of those to ask; false when one of them wants every pod to be asked.
  bool FindKeys() {
    offered_.clear();
    if (!per_pod_.empty()) return false;
    for (const Registration* registration : per_ring_) {
      if (registration->keys == nullptr) return false;
      keys_.assign(1, kEveryChange);
      if (!registration->keys->offered(happening_.before, happening_.after, keys_)) return false;
      for (const uint64_t key : keys_) offered_.push_back({registration->keys_place, key});
    }
    return true;
  }

  void JudgeKeyed(const Cohort& cohort) {
    for (const auto& [place, key] : offered_) {
      const auto found = cohort.keyed[place].find(key);
      if (found == cohort.keyed[place].end()) continue;
      for (const RingId id : found->second) {
        Ring& ring = index_.rings_[id];
        if (ring.last_search == number_) continue;
        ring.last_search = number_;
        if (MayWake(id)) JudgeRing(*ring.leader);
      }
    }
  }

  void JudgeAll(const Cohort& cohort) {
    for (size_t i = 0; i < cohort.rings.size(); ++i) {
      FetchAhead(cohort.rings, i);
      if (MayWake(cohort.rings[i])) JudgeRing(*index_.rings_[cohort.rings[i]].leader);
    }
  }

  // Hints read little of each pod, but thousands of pods, scattered in memory. So prefetch each pod's parts in stages:
  // a part once the one that points to it has been loaded.
  void FetchAhead(const std::vector<RingId>& ids, size_t i) const {
    constexpr size_t kStep = 6;
    const auto leader = [&](size_t ahead) { return index_.rings_[ids[i + ahead]].leader; };
    const size_t left = ids.size() - i;
    if (4 * kStep < left) __builtin_prefetch(leader(4 * kStep));
    if (3 * kStep < left) __builtin_prefetch(leader(3 * kStep)->pod.get());
    if (2 * kStep < left) __builtin_prefetch(leader(2 * kStep)->pod->pod.get());
    if (kStep < left) __builtin_prefetch(leader(kStep)->pod->pod->spec.get());
  }

  // Priority is part of the template.
  bool MayWake(RingId id) const {
    return !limits_.max_priority || PodOf(*index_.rings_[id].leader).priority() <= *limits_.max_priority;
  }

  // Asks until nothing higher can come out. Starts from what other registrations have said.
  Requeueing Ask(const std::vector<const Registration*>& registrations, const QueuedPod& pod, Requeueing so_far) const {
    for (const Registration* registration : registrations) {
      if (IsSettled(so_far)) break;
      const bool pending = pending_.test(registration->plugin);
      if (so_far == Requeueing::AfterBackoff && !pending) continue;
      if (!judge_.SaysQueue(*registration, pod, happening_)) continue;
      so_far = pending ? Requeueing::Immediately : Requeueing::AfterBackoff;
    }
    return so_far;
  }

  bool IsSettled(Requeueing so_far) const {
    return so_far == Requeueing::Immediately || (so_far == Requeueing::AfterBackoff && pending_.none());
  }

  void JudgeRing(QueuedPod& leader) {
    const Requeueing of_ring = Ask(per_ring_, leader, Requeueing::Skip);
    if (per_pod_.empty() && of_ring == Requeueing::Skip) return;
    ForEachInRing(leader, [&](QueuedPod& pod) {
      if (!IsExcepted(pod)) Note(pod, Ask(per_pod_, pod, of_ring));
    });
  }

  void JudgeEach(QueuedPod& leader) {
    ForEachInRing(leader, [&](QueuedPod& pod) {
      if (!IsExcepted(pod)) Note(pod, judge_.Judge(pod, happening_));
    });
  }

  bool IsExcepted(const QueuedPod& pod) const {
    return !limits_.except.empty() && framework::PodUid(PodOf(pod)) == limits_.except;
  }

  void Note(QueuedPod& pod, Requeueing requeueing) {
    if (requeueing != Requeueing::Skip) woken_.push_back({&pod, requeueing});
  }

  struct Offer {
    size_t keys_place = 0;
    uint64_t key = 0;
  };

  WaitingIndex& index_;
  const uint64_t number_;
  const Happening& happening_;
  const Limits& limits_;
  const HintJudge& judge_;
  PluginBits pending_;
  std::vector<const Registration*> per_ring_;
  std::vector<const Registration*> per_pod_;
  std::vector<uint64_t> keys_;
  std::vector<Offer> offered_;
  std::vector<Woken> woken_;
};

std::vector<WaitingIndex::Woken> WaitingIndex::FindWoken(const Happening& happening, const Limits& limits,
                                                         const HintJudge& judge) {
  Search search(*this, happening, limits, judge);
  for (const auto& [rejection, cohort] : cohorts_) search.LookAt(rejection, cohort);
  return std::move(search).Finish();
}

}  // namespace berth::queue
