// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "queue/event_interest.h"
#include "queue/queued_pod.h"
#include "queue/queued_pod_set.h"
#include "queue/requeueing.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::queue {

// The pods that wait for an event, by what could help them. Pods that the same plugins rejected form a cohort, and
// pods of a cohort that are alike, so that hints cannot tell them apart, a ring. An event looks at
// the cohorts that an interested plugin rejected. When all the plugins to ask there have keys, it looks at those rings
// alone that need a key it offers; and a hint that answers by template is asked once per ring.
//
// Owns no pod. While a pod is here, only the index may be asked to change it. Engine thread only.
class WaitingIndex {
 public:
  // The table outlives the index.
  explicit WaitingIndex(const EventInterestTable& interests) : interests_(interests) {}

  void Insert(QueuedPod& pod);
  void Erase(QueuedPod& pod);
  size_t size() const { return size_; }

  // Which pods an event may wake at all.
  struct Limits {
    std::optional<int32_t> max_priority;
    std::string_view except;  // uid
  };
  struct Woken {
    QueuedPod* pod = nullptr;
    Requeueing requeueing = Requeueing::Skip;
  };
  // The pods that the event is to wake, in the order in which they arrived. They stay here.
  std::vector<Woken> FindWoken(const Happening& happening, const Limits& limits, const HintJudge& judge);

  void ForEach(const std::function<void(QueuedPod&)>& visit) const;

 private:
  // Who rejected a pod, and how.
  struct Rejection {
    PluginBits rejectors;
    PluginBits pending;
    uint32_t profile = 0;
    int16_t gating_plugin = -1;

    static Rejection Of(const QueuedPod& pod) { return {pod.rejectors, pod.pending, pod.profile, pod.gating_plugin}; }
    friend bool operator==(const Rejection&, const Rejection&) = default;
  };
  struct RejectionHash {
    size_t operator()(const Rejection& rejection) const;
  };
  using RingId = uint32_t;
  // The rings that need a key. Those that need none in particular are found under kEveryChange.
  using RingsByKey = std::unordered_map<uint64_t, std::vector<RingId>>;
  static constexpr uint64_t kEveryChange = 0;
  struct Cohort {
    std::vector<RingId> rings;
    std::vector<RingsByKey> keyed;  // by the keys_place of a registration; empty for those who did not reject
  };
  using Cohorts = std::unordered_map<Rejection, Cohort, RejectionHash>;
  // Where a ring stands under one of its keys.
  struct KeyEntry {
    uint64_t key = 0;
    uint32_t keys_place = 0;
    uint32_t position = 0;
  };
  struct Ring {
    QueuedPod* leader = nullptr;  // knows the ring's id; null while the id is free
    Cohort* cohort = nullptr;
    uint32_t position = 0;  // in its cohort
    std::vector<KeyEntry> keys;
    uint64_t last_search = 0;  // that came across it
  };

  class Search;

  static bool Alike(const QueuedPod& a, const QueuedPod& b);
  static uint64_t AlikeHash(const QueuedPod& pod);
  void AddRing(QueuedPod& pod, uint64_t hash);
  void DropRing(QueuedPod& pod);
  void EnterKeys(RingId id, const Rejection& rejection);
  void LeaveKey(const KeyEntry& entry, Cohort& cohort);

  const EventInterestTable& interests_;
  Cohorts cohorts_;
  QueuedPodSet leaders_;
  std::vector<Ring> rings_;  // by id
  std::vector<RingId> free_ids_;
  std::vector<uint64_t> scratch_keys_;
  uint64_t searches_ = 0;
  size_t size_ = 0;
};

}  // namespace berth::queue
