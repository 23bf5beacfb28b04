// SPDX-License-Identifier: Apache-2.0
#include "queue/queued_pod_set.h"

#include "base/check.h"

#include <utility>

namespace berth::queue {
namespace {

constexpr size_t kFirstCapacity = 16;

// Thirteen of sixteen slots may be taken.
bool IsFull(size_t size, size_t capacity) { return size * 16 >= capacity * 13; }

}  // namespace

void QueuedPodSet::Insert(QueuedPod& pod, uint64_t hash) {
  if (IsFull(size_, slots_.size())) Grow();
  Place(&pod, Shorten(hash));
  ++size_;
}

void QueuedPodSet::Place(QueuedPod* pod, uint32_t short_hash) {
  size_t i = short_hash & mask_;
  while (slots_[i] != nullptr) i = (i + 1) & mask_;
  slots_[i] = pod;
  hashes_[i] = short_hash;
}

void QueuedPodSet::Grow() {
  const size_t capacity = slots_.empty() ? kFirstCapacity : slots_.size() * 2;
  const std::vector<QueuedPod*> old_slots = std::exchange(slots_, std::vector<QueuedPod*>(capacity));
  const std::vector<uint32_t> old_hashes = std::exchange(hashes_, std::vector<uint32_t>(capacity));
  mask_ = capacity - 1;
  for (size_t i = 0; i < old_slots.size(); ++i) {
    if (old_slots[i] != nullptr) Place(old_slots[i], old_hashes[i]);
  }
}

size_t QueuedPodSet::SlotOf(const QueuedPod& pod, uint64_t hash) const {
  BERTH_CHECK(!slots_.empty());
  size_t i = Shorten(hash) & mask_;
  while (slots_[i] != &pod) {
    BERTH_CHECK(slots_[i] != nullptr);
    i = (i + 1) & mask_;
  }
  return i;
}

void QueuedPodSet::Erase(const QueuedPod& pod, uint64_t hash) {
  size_t hole = SlotOf(pod, hash);
  --size_;
  // Later entries of the same run move up, unless that would put them before the slot their hash names.
  for (size_t i = (hole + 1) & mask_; slots_[i] != nullptr; i = (i + 1) & mask_) {
    const size_t home = hashes_[i] & mask_;
    if (((i - home) & mask_) < ((i - hole) & mask_)) continue;
    slots_[hole] = slots_[i];
    hashes_[hole] = hashes_[i];
    hole = i;
  }
  slots_[hole] = nullptr;
}

void QueuedPodSet::Replace(const QueuedPod& pod, QueuedPod& successor, uint64_t hash) {
  slots_[SlotOf(pod, hash)] = &successor;
}

}  // namespace berth::queue
