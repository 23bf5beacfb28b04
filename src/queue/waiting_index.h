// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "queue/pod_table.h"
#include "queue/queued_pod.h"
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
// pods of a cohort that hints cannot tell apart (one template, namespace and set of labels) a ring. An event looks at
// the cohorts that an interested plugin rejected, and asks a hint that answers by template once per ring.
//
// Owns no pod. While a pod is here, only the index may be asked to change it. Engine thread only.
class WaitingIndex {
 public:
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
  std::vector<Woken> FindWoken(const Happening& happening, const Limits& limits, const HintJudge& judge) const;

  void ForEach(const std::function<void(QueuedPod&)>& visit) const;

 private:
  // Who rejected a pod, and how.
  struct Rejection {
    PluginSet rejectors;
    PluginSet pending;
    uint32_t profile = 0;
    int16_t gating_plugin = -1;

    static Rejection Of(const QueuedPod& pod) { return {pod.rejectors, pod.pending, pod.profile, pod.gating_plugin}; }
    friend bool operator==(const Rejection&, const Rejection&) = default;
  };
  struct RejectionHash {
    size_t operator()(const Rejection& rejection) const;
  };
  struct Cohort {
    std::vector<QueuedPod*> rings;  // by their leaders, each of which knows its place here
  };
  using Cohorts = std::unordered_map<Rejection, Cohort, RejectionHash>;

  class Search;

  static bool Alike(const QueuedPod& a, const QueuedPod& b);
  static uint64_t AlikeHash(const QueuedPod& pod);
  void Lead(QueuedPod& pod, uint64_t hash);
  void DropRing(QueuedPod& pod);

  Cohorts cohorts_;
  PodTable leaders_;
  size_t size_ = 0;
};

}  // namespace berth::queue
