// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/check.h"
#include "queue/queued_pod.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace berth::queue {

// The pods of one place with the first of them by `Before`, a total order, at hand. Owns none, and a pod is in one line
// at a time. Engine thread only.
//
// Pods mostly arrive in the order in which they will leave, or in one such order per priority. So they stand in a few
// lanes, each of which is sorted because only a pod that comes after a lane's last one joins it: then neither joining
// nor leaving looks at any pod but those at the ends. A pod that fits no lane goes to a heap.
template <typename Before>
class PodLine {
 public:
  explicit PodLine(Before before) : before_(std::move(before)) {}

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // Null when the line is empty.
  QueuedPod* First() const {
    if (first_ == nullptr) first_ = FindFirst();
    return first_;
  }

  void Push(QueuedPod& pod) {
    ++size_;
    if (!JoinLane(pod)) {
      heap_.push_back(nullptr);
      Raise(heap_.size() - 1, &pod);
    }
    // If the first pod is not known (null), it stays unknown, unless this is the only pod.
    if (size_ == 1 || (first_ != nullptr && before_(pod, *first_))) first_ = &pod;
  }

  void Erase(QueuedPod& pod) {
    --size_;
    if (first_ == &pod) first_ = nullptr;
    if (pod.position < kLanes) {
      LeaveLane(pod);
      return;
    }
    BERTH_CHECK(!heap_.empty());
    const size_t hole = pod.position - kLanes;
    QueuedPod* last = heap_.back();
    heap_.pop_back();
    if (hole < heap_.size()) Fill(hole, last);
  }

 private:
  static constexpr size_t kLanes = 16;
  struct Lane {
    QueuedPod* first = nullptr;
    QueuedPod* last = nullptr;
  };

  QueuedPod* FindFirst() const {
    QueuedPod* best = heap_.empty() ? nullptr : heap_.front();
    for (size_t i = 0; i < used_; ++i) {
      QueuedPod* pod = lanes_[order_[i]].first;
      if (best == nullptr || before_(*pod, *best)) best = pod;
    }
    return best;
  }

  // Lanes are tried from the one that ends last, so that as few as possible are begun.
  bool JoinLane(QueuedPod& pod) {
    size_t i = 0;
    while (i < used_ && before_(pod, *lanes_[order_[i]].last)) ++i;
    if (i == kLanes) return false;
    if (i == used_) order_[used_++] = FreeLane();
    Lane& lane = lanes_[order_[i]];
    pod.position = order_[i];
    pod.previous = lane.last;
    pod.next = nullptr;
    (lane.last == nullptr ? lane.first : lane.last->next) = &pod;
    lane.last = &pod;
    return true;
  }

  uint8_t FreeLane() const {
    uint8_t lane = 0;
    while (lanes_[lane].first != nullptr) ++lane;
    return lane;
  }

  void LeaveLane(QueuedPod& pod) {
    Lane& lane = lanes_[pod.position];
    (pod.previous == nullptr ? lane.first : pod.previous->next) = pod.next;
    (pod.next == nullptr ? lane.last : pod.next->previous) = pod.previous;
    pod.next = pod.previous = nullptr;
    if (lane.first != nullptr) return;
    size_t i = 0;
    while (order_[i] != pod.position) ++i;
    for (--used_; i < used_; ++i) order_[i] = order_[i + 1];
  }

  void Put(size_t index, QueuedPod* pod) {
    heap_[index] = pod;
    pod->position = static_cast<uint32_t>(index + kLanes);
  }

  void Raise(size_t hole, QueuedPod* pod) {
    while (hole > 0) {
      const size_t parent = (hole - 1) / 2;
      if (!before_(*pod, *heap_[parent])) break;
      Put(hole, heap_[parent]);
      hole = parent;
    }
    Put(hole, pod);
  }

  // Lets the hole sink to the bottom, then raises the pod from there: it comes from the bottom and belongs near it, and
  // sinking without looking at it halves the comparisons.
  void Fill(size_t hole, QueuedPod* pod) {
    const size_t end = heap_.size();
    for (size_t child = 2 * hole + 1; child < end; child = 2 * hole + 1) {
      if (child + 1 < end && before_(*heap_[child + 1], *heap_[child])) ++child;
      Put(hole, heap_[child]);
      hole = child;
    }
    Raise(hole, pod);
  }

  Before before_;
  std::array<Lane, kLanes> lanes_;
  std::array<uint8_t, kLanes> order_ = {};  // the used lanes, the one that ends last first
  size_t used_ = 0;
  std::vector<QueuedPod*> heap_;
  size_t size_ = 0;
  mutable QueuedPod* first_ = nullptr;  // null when it must be sought
};

}  // namespace berth::queue
