// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "queue/queued_pod.h"
#include "queue/queued_pod_set.h"

#include <string_view>

namespace berth::queue {

// Owns the pods in the queue, by uid. Engine thread only.
class KnownPods {
 public:
  KnownPods() = default;
  ~KnownPods();
  KnownPods(const KnownPods&) = delete;
  KnownPods& operator=(const KnownPods&) = delete;

  size_t size() const { return table_.size(); }
  QueuedPod* Find(std::string_view uid) const;
  // None of its uid is here.
  QueuedPod& Insert(QueuedPodPtr pod);
  // The pod is here.
  QueuedPodPtr Take(QueuedPod& pod);

  template <typename Visit>
  void ForEach(Visit visit) const {
    table_.ForEach(visit);
  }

 private:
  QueuedPodSet table_;
};

}  // namespace berth::queue
