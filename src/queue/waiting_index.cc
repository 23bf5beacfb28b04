// SPDX-License-Identifier: Apache-2.0
#include "queue/waiting_index.h"

#include "base/check.h"
#include "framework/node_info.h"

#include <algorithm>
#include <functional>
#include <string>

namespace berth::queue {
namespace {

void Mix(uint64_t& hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
  hash *= 0xff51afd7ed558ccdU;
}

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

size_t WaitingIndex::RejectionHash::operator()(const Rejection& rejection) const {
  uint64_t hash = rejection.profile;
  Mix(hash, std::hash<PluginSet>()(rejection.rejectors));
  Mix(hash, std::hash<PluginSet>()(rejection.pending));
  Mix(hash, static_cast<uint64_t>(rejection.gating_plugin + 1));
  return hash;
}

bool WaitingIndex::Alike(const QueuedPod& a, const QueuedPod& b) {
  return a.pod->traits == b.pod->traits && PodOf(a).spec == PodOf(b).spec && Rejection::Of(a) == Rejection::Of(b) &&
         PodOf(a).meta.namespace_ == PodOf(b).meta.namespace_ && PodOf(a).meta.labels == PodOf(b).meta.labels;
}

uint64_t WaitingIndex::AlikeHash(const QueuedPod& pod) {
  uint64_t hash = RejectionHash()(Rejection::Of(pod));
  Mix(hash, std::hash<const void*>()(pod.pod->traits.get()));
  Mix(hash, std::hash<const void*>()(PodOf(pod).spec.get()));
  Mix(hash, std::hash<std::string>()(PodOf(pod).meta.namespace_));
  for (const auto& [key, value] : PodOf(pod).meta.labels) {
    Mix(hash, std::hash<std::string>()(key));
    Mix(hash, std::hash<std::string>()(value));
  }
  return hash;
}

void WaitingIndex::Insert(QueuedPod& pod) {
  ++size_;
  const uint64_t hash = AlikeHash(pod);
  QueuedPod* leader = leaders_.Find(hash, [&](const QueuedPod& other) { return Alike(pod, other); });
  if (leader == nullptr) {
    Lead(pod, hash);
    return;
  }
  pod.next = leader;
  pod.previous = leader->previous;
  pod.previous->next = &pod;
  leader->previous = &pod;
}

void WaitingIndex::Lead(QueuedPod& pod, uint64_t hash) {
  pod.leads_ring = true;
  pod.next = pod.previous = &pod;
  leaders_.Insert(pod, hash);
  std::vector<QueuedPod*>& rings = cohorts_[Rejection::Of(pod)].rings;
  pod.position = static_cast<uint32_t>(rings.size());
  rings.push_back(&pod);
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
      cohorts_.at(Rejection::Of(pod)).rings[pod.position] = next;
    }
  }
  pod.leads_ring = false;
  pod.next = pod.previous = nullptr;
}

void WaitingIndex::DropRing(QueuedPod& pod) {
  leaders_.Erase(pod, AlikeHash(pod));
  const auto cohort = cohorts_.find(Rejection::Of(pod));
  BERTH_CHECK(cohort != cohorts_.end());
  std::vector<QueuedPod*>& rings = cohort->second.rings;
  rings[pod.position] = rings.back();
  rings[pod.position]->position = pod.position;
  rings.pop_back();
  if (rings.empty()) cohorts_.erase(cohort);
}

void WaitingIndex::ForEach(const std::function<void(QueuedPod&)>& visit) const {
  for (const auto& [rejection, cohort] : cohorts_) {
    for (QueuedPod* leader : cohort.rings) ForEachInRing(*leader, visit);
  }
}

// One event looking for the pods it wakes.
class WaitingIndex::Search {
 public:
  Search(const Happening& happening, const Limits& limits, const HintJudge& judge)
      : happening_(happening), limits_(limits), judge_(judge) {}

  void LookAt(const Rejection& rejection, const Cohort& cohort) {
    const EventInterest& interest = happening_.interest;
    const EventInterest::OfProfile& of_profile = interest.profiles[rejection.profile];
    if (!interest.wildcard) {
      // A gated pod stays gated unless the event means something to the plugin that gates it.
      const bool gated = rejection.gating_plugin >= 0;
      if (gated && !of_profile.gates.test(static_cast<size_t>(rejection.gating_plugin))) return;
      if (rejection.rejectors.any() && (rejection.rejectors & of_profile.plugins).none()) return;
    }
    const bool each = interest.wildcard || rejection.rejectors.none();
    if (!each) Sort(rejection, of_profile);
    for (QueuedPod* leader : cohort.rings) {
      // Priority is part of the template.
      if (limits_.max_priority && PodOf(*leader).priority() > *limits_.max_priority) continue;
      if (each) {
        JudgeEach(*leader);
      } else {
        JudgeRing(*leader);
      }
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

  const Happening& happening_;
  const Limits& limits_;
  const HintJudge& judge_;
  PluginSet pending_;
  std::vector<const Registration*> per_ring_;
  std::vector<const Registration*> per_pod_;
  std::vector<Woken> woken_;
};

std::vector<WaitingIndex::Woken> WaitingIndex::FindWoken(const Happening& happening, const Limits& limits,
                                                         const HintJudge& judge) const {
  Search search(happening, limits, judge);
  for (const auto& [rejection, cohort] : cohorts_) search.LookAt(rejection, cohort);
  return std::move(search).Finish();
}

}  // namespace berth::queue
