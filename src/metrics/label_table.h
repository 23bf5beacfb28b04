// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::metrics {

using LabelValues = std::span<const std::string_view>;

// A number for a set of label values that looks at the length and both ends of each: enough to tell plugins, points and
// profiles apart most of the time, at a fraction of the cost of hashing every byte.
inline uint64_t Fingerprint(LabelValues values) {
  uint64_t hash = 0;
  for (const std::string_view value : values) {
    uint64_t head = 0;
    uint64_t tail = 0;
    if (value.size() >= sizeof head) {
      std::memcpy(&head, value.data(), sizeof head);
      std::memcpy(&tail, value.data() + value.size() - sizeof tail, sizeof tail);
    } else {
      for (const char c : value) head = head << 8 | static_cast<unsigned char>(c);
    }
    hash = (hash ^ head ^ std::rotl(tail, 29) ^ value.size()) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash;
}

// The cells of one metric, one for each set of label values that was ever asked for. Any thread.
//
// A set that is known is found without a lock and without allocating. A new one is added under a lock, and the slots
// are replaced by twice as many when half of them are taken; a reader may still be in the old ones, so these are kept.
// That suits labels, which are few: everything lives as long as the table.
template <typename Cell>
class LabelTable {
 public:
  using Shape = typename Cell::Shape;

  // `shape` outlives the table.
  explicit LabelTable(const Shape& shape) : shape_(shape) {
    MutexLock lock(mutex_);
    MakeSlots(16);
  }
  LabelTable(const LabelTable&) = delete;
  LabelTable& operator=(const LabelTable&) = delete;

  // The cell stays where it is for the table's lifetime.
  Cell& Get(LabelValues values) {
    const uint64_t fingerprint = Fingerprint(values);
    Entry* entry = Find(*slots_.load(std::memory_order_acquire), fingerprint, values);
    return entry != nullptr ? entry->cell : Add(fingerprint, values);
  }

  // In the order in which they came. New sets wait meanwhile, known ones do not.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    MutexLock lock(mutex_);
    for (const Entry& entry : entries_) visit(entry.values, entry.cell);
  }

 private:
  struct Entry {
    Entry(uint64_t print, LabelValues texts, const Shape& shape)
        : fingerprint(print), values(texts.begin(), texts.end()), cell(shape) {}
    const uint64_t fingerprint;
    const std::vector<std::string> values;
    Cell cell;
  };
  using Slots = std::vector<std::atomic<Entry*>>;  // a power of two, never more than half of them taken

  static Entry* Find(const Slots& slots, uint64_t fingerprint, LabelValues values) {
    for (size_t at = fingerprint;; ++at) {
      Entry* entry = slots[at & (slots.size() - 1)].load(std::memory_order_acquire);
      if (entry == nullptr) return nullptr;
      if (entry->fingerprint == fingerprint && std::ranges::equal(entry->values, values)) return entry;
    }
  }

  static void Put(Slots& slots, Entry& entry) {
    size_t at = entry.fingerprint;
    while (slots[at & (slots.size() - 1)].load(std::memory_order_relaxed) != nullptr) ++at;
    slots[at & (slots.size() - 1)].store(&entry, std::memory_order_release);
  }

  Cell& Add(uint64_t fingerprint, LabelValues values) {
    MutexLock lock(mutex_);
    Slots* slots = slots_.load(std::memory_order_relaxed);
    if (Entry* entry = Find(*slots, fingerprint, values); entry != nullptr) return entry->cell;  // another thread's
    Entry& entry = entries_.emplace_back(fingerprint, values, shape_);
    if (2 * entries_.size() > slots->size()) {
      MakeSlots(2 * slots->size());
    } else {
      Put(*slots, entry);
    }
    return entry.cell;
  }

  void MakeSlots(size_t count) BERTH_REQUIRES(mutex_) {
    auto& slots = *all_slots_.emplace_back(std::make_unique<Slots>(count));
    for (Entry& entry : entries_) Put(slots, entry);
    slots_.store(&slots, std::memory_order_release);
  }

  const Shape& shape_;
  std::atomic<Slots*> slots_ = nullptr;  // the newest of all_slots_
  mutable Mutex mutex_;
  std::deque<Entry> entries_ BERTH_GUARDED_BY(mutex_);  // a deque never moves its elements
  std::vector<std::unique_ptr<Slots>> all_slots_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::metrics
