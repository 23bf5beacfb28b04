// SPDX-License-Identifier: Apache-2.0
// One event looking for the pods it wakes.
#include "framework/node_info.h"
#include "queue/waiting_index.h"

#include <algorithm>

namespace berth::queue {
namespace {

const api::Pod& PodOf(const QueuedPod& queued) { return *queued.pod->pod; }

template <typename Visit>
void ForEachInRing(QueuedPod& leader, Visit visit) {
  QueuedPod* pod = &leader;
  do {
    visit(*pod);
    pod = pod->next;
  } while (pod != &leader);
}

}  // namespace

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
