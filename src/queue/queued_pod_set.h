// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "queue/queued_pod.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::queue {

// A hash set of pods it does not own, at some sixteen bytes each. What makes two pods equal, and their hash, is the
// caller's affair. Engine thread only.
class QueuedPodSet {
 public:
  size_t size() const { return size_; }

  // The pod with this hash that `equal` accepts; null when there is none.
  template <typename Equal>
  QueuedPod* Find(uint64_t hash, Equal equal) const {
    if (slots_.empty()) return nullptr;
    const uint32_t short_hash = Shorten(hash);
    for (size_t i = short_hash & mask_; slots_[i] != nullptr; i = (i + 1) & mask_) {
      if (hashes_[i] == short_hash && equal(*slots_[i])) return slots_[i];
    }
    return nullptr;
  }

  // `pod` is not in the table.
  void Insert(QueuedPod& pod, uint64_t hash);
  // `pod` is in the table.
  void Erase(const QueuedPod& pod, uint64_t hash);
  // Puts `successor`, which has the same hash, where `pod` is.
  void Replace(const QueuedPod& pod, QueuedPod& successor, uint64_t hash);

  template <typename Visit>
  void ForEach(Visit visit) const {
    for (QueuedPod* pod : slots_) {
      if (pod != nullptr) visit(*pod);
    }
  }

 private:
  static uint32_t Shorten(uint64_t hash) { return static_cast<uint32_t>(hash ^ (hash >> 32U)); }
  size_t SlotOf(const QueuedPod& pod, uint64_t hash) const;
  void Place(QueuedPod* pod, uint32_t short_hash);
  void Grow();

  // Open addressing with linear probing; the hashes are kept so that growing and erasing touch no pod.
  std::vector<QueuedPod*> slots_;
  std::vector<uint32_t> hashes_;
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace berth::queue
