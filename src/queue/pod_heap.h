// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "queue/queued_pod.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace berth::queue {

// The pods of one place with the first of them by `Before` on top; each knows its position, so that any can be taken
// out. Owns none. A pod is in one heap at a time. Engine thread only.
template <typename Before>
class PodHeap {
 public:
  explicit PodHeap(Before before) : before_(std::move(before)) {}

  bool empty() const { return pods_.empty(); }
  size_t size() const { return pods_.size(); }
  QueuedPod* Top() const { return pods_.empty() ? nullptr : pods_.front(); }

  void Push(QueuedPod& pod) {
    pods_.push_back(nullptr);
    Raise(pods_.size() - 1, &pod);
  }

  void Erase(const QueuedPod& pod) {
    const size_t hole = pod.heap_index;
    QueuedPod* last = pods_.back();
    pods_.pop_back();
    if (hole < pods_.size()) Fill(hole, last);
  }

  // To be called when `pod`, which is here, has changed in what `Before` looks at.
  void Reorder(QueuedPod& pod) { Fill(pod.heap_index, &pod); }

 private:
  void Put(size_t index, QueuedPod* pod) {
    pods_[index] = pod;
    pod->heap_index = index;
  }

  void Raise(size_t hole, QueuedPod* pod) {
    while (hole > 0) {
      const size_t parent = (hole - 1) / 2;
      if (!before_(*pod, *pods_[parent])) break;
      Put(hole, pods_[parent]);
      hole = parent;
    }
    Put(hole, pod);
  }

  // Lets the hole sink to the bottom, then raises the pod from there: a pod taken from the bottom belongs near it, and
  // sinking without looking at it halves the comparisons.
  void Fill(size_t hole, QueuedPod* pod) {
    const size_t end = pods_.size();
    size_t child = 2 * hole + 1;
    while (child < end) {
      if (child + 1 < end && before_(*pods_[child + 1], *pods_[child])) ++child;
      Put(hole, pods_[child]);
      hole = child;
      child = 2 * hole + 1;
    }
    Raise(hole, pod);
  }

  Before before_;
  std::vector<QueuedPod*> pods_;
};

}  // namespace berth::queue
