// SPDX-License-Identifier: Apache-2.0
#include "queue/waiting_index.h"

#include "base/hash.h"

#include <algorithm>
#include <functional>

namespace berth::queue {

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
    if (ring.leader == nullptr) continue;
    QueuedPod* pod = ring.leader;
    do {
      visit(*pod);
      pod = pod->next;
    } while (pod != ring.leader);
  }
}

}  // namespace berth::queue
