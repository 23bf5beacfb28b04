// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/hub/version_chain.h"
#include "store/record.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace berth::store {

// Finds an object's entry by its key: a flat hash table of pointers. Looking up hundreds of thousands of pods in no
// order is all about memory that is not in the cache, so one lookup touches as little as it can, and lookups of many
// keys overlap their waits. One thread at a time.
class EntryIndex {
 public:
  using Entry = std::pair<const Key, VersionChain>;

  // Null when there is none.
  Entry* Find(const Key& key) const;
  // The entries of several keys. Their newest records are then near, too: who asks for many is going to read them.
  void Find(std::span<const Key* const> keys, std::span<Entry*> entries) const;
  // The key must not be there.
  void Insert(Entry& entry);
  void Erase(const Entry& entry);

 private:
  struct Slot {
    size_t hash = 0;
    Entry* entry = nullptr;  // null in a free slot
  };

  Entry* Find(size_t hash, const Key& key) const;
  // The first slot that holds the hash, or a free one: most often the one that is sought.
  const Slot& Candidate(size_t hash) const;
  size_t Home(size_t hash) const { return hash & (slots_.size() - 1); }
  size_t After(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  void Grow();

  std::vector<Slot> slots_ = std::vector<Slot>(16);  // a power of two
  size_t used_ = 0;
};

}  // namespace berth::store
