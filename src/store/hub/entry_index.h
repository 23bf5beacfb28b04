// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/hub/version_chain.h"
#include "store/record.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace berth::store {

// Finds an object's entry by its key: a flat hash table of pointers. Cache misses dominate when hundreds of thousands
// of pods are looked up in random order, so a lookup touches as little memory as possible, and lookups of many keys
// overlap their misses. One thread at a time.
class EntryIndex {
 public:
  using Entry = std::pair<const Key, VersionChain>;

  // Null when there is none.
  Entry* Find(const Key& key) const;
  // The entries of several keys. Also prefetches their newest records, which the caller is about to read.
  void Find(std::span<const Key* const> keys, std::span<Entry*> entries) const;
  // The key must not be present.
  void Insert(Entry& entry);
  void Erase(const Entry& entry);

 private:
  struct Slot {
    size_t hash = 0;
    Entry* entry = nullptr;  // null in a free slot
  };

  Entry* Find(size_t hash, const Key& key) const;
  // The first slot with this hash, or a free one: almost always the slot Find returns.
  const Slot& Candidate(size_t hash) const;
  size_t Home(size_t hash) const { return hash & (slots_.size() - 1); }
  size_t After(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  void Grow();

  std::vector<Slot> slots_ = std::vector<Slot>(16);  // a power of two
  size_t used_ = 0;
};

}  // namespace berth::store
