// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "queue/pod_line.h"
#include "queue/queued_pod.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace berth::queue {

// A PodLine for each track: the first pod of all, or of the tracks that are open. There are few tracks, mostly one.
// Engine thread only.
template <typename Before>
class TrackedLine {
 public:
  explicit TrackedLine(Before before) : before_(before), lines_(1, PodLine<Before>(before)) {}

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // Null when the line is empty.
  QueuedPod* First() const {
    return FirstWhere([](size_t) { return true; });
  }
  // Passes over the tracks that are in `closed`, which may end before the last track.
  QueuedPod* First(const Bitset& closed) const {
    return FirstWhere([&](size_t track) { return track >= closed.size() || !closed.Test(track); });
  }

  void Push(QueuedPod& pod) {
    ++size_;
    while (lines_.size() <= pod.track) lines_.emplace_back(before_);
    lines_[pod.track].Push(pod);
  }
  void Erase(QueuedPod& pod) {
    --size_;
    lines_[pod.track].Erase(pod);
  }

 private:
  template <typename IsOpen>
  QueuedPod* FirstWhere(IsOpen is_open) const {
    QueuedPod* best = nullptr;
    for (size_t track = 0; track < lines_.size(); ++track) {
      QueuedPod* pod = is_open(track) ? lines_[track].First() : nullptr;
      if (pod != nullptr && (best == nullptr || before_(*pod, *best))) best = pod;
    }
    return best;
  }

  Before before_;
  std::vector<PodLine<Before>> lines_;
  size_t size_ = 0;
};

}  // namespace berth::queue
