// SPDX-License-Identifier: Apache-2.0
#include "store/hub/entry_index.h"

#include "base/check.h"

#include <algorithm>
#include <array>

namespace berth::store {
namespace {

// How many lookups overlap; more would only evict each other from the L1 cache.
constexpr size_t kAtOnce = 16;

void Prefetch(const void* address) { __builtin_prefetch(address); }

void PrefetchRecord(const Record& record) {
  constexpr size_t kLine = 64;
  for (size_t offset = 0; offset < sizeof(Record); offset += kLine) {
    Prefetch(reinterpret_cast<const char*>(&record) + offset);
  }
}

// Names differ more often than kinds.
bool SameKey(const Key& a, const Key& b) {
  return a.name == b.name && a.namespace_ == b.namespace_ && a.kind == b.kind;
}

// The entry's key, read from its record if it has one, because the caller reads the record next.
const Key& KeyOf(const EntryIndex::Entry& entry) {
  const Record* record = entry.second.newest();
  return record == nullptr ? entry.first : record->key;
}

}  // namespace

EntryIndex::Entry* EntryIndex::Find(const Key& key) const { return Find(KeyHash()(key), key); }

EntryIndex::Entry* EntryIndex::Find(size_t hash, const Key& key) const {
  for (size_t i = Home(hash); slots_[i].entry != nullptr; i = After(i)) {
    if (slots_[i].hash == hash && SameKey(KeyOf(*slots_[i].entry), key)) return slots_[i].entry;
  }
  return nullptr;
}

const EntryIndex::Slot& EntryIndex::Candidate(size_t hash) const {
  size_t i = Home(hash);
  while (slots_[i].entry != nullptr && slots_[i].hash != hash) i = After(i);
  return slots_[i];
}

void EntryIndex::Find(std::span<const Key* const> keys, std::span<Entry*> entries) const {
  BERTH_CHECK(keys.size() == entries.size());
  for (size_t first = 0; first < keys.size(); first += kAtOnce) {
    const size_t count = std::min(kAtOnce, keys.size() - first);
    std::array<size_t, kAtOnce> hashes = {};
    std::array<const Entry*, kAtOnce> candidates = {};
    // Each pass uses what the previous one prefetched, so the cache misses of all keys overlap.
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = KeyHash()(*keys[first + i]);
      Prefetch(&slots_[Home(hashes[i])]);
    }
    for (size_t i = 0; i < count; ++i) {
      candidates[i] = Candidate(hashes[i]).entry;
      if (candidates[i] != nullptr) Prefetch(&candidates[i]->second);
    }
    for (size_t i = 0; i < count; ++i) {
      const Record* record = candidates[i] == nullptr ? nullptr : candidates[i]->second.newest();
      if (record != nullptr) PrefetchRecord(*record);
    }
    for (size_t i = 0; i < count; ++i) {
      const Record* record = candidates[i] == nullptr ? nullptr : candidates[i]->second.newest();
      if (record == nullptr) continue;
      Prefetch(record->key.name.data());
      Prefetch(record->uid.data());
      Prefetch(record->fields.scheduler_name.data());
    }
    for (size_t i = 0; i < count; ++i) entries[first + i] = Find(hashes[i], *keys[first + i]);
  }
}

void EntryIndex::Insert(Entry& entry) {
  if (++used_ > slots_.size() / 2) Grow();
  const size_t hash = KeyHash()(entry.first);
  size_t i = Home(hash);
  while (slots_[i].entry != nullptr) i = After(i);
  slots_[i] = {hash, &entry};
}

void EntryIndex::Erase(const Entry& entry) {
  size_t hole = Home(KeyHash()(entry.first));
  while (slots_[hole].entry != &entry) {
    BERTH_CHECK(slots_[hole].entry != nullptr);
    hole = After(hole);
  }
  // Entries behind the hole that may occupy it move up, so that no probe sequence ends early.
  for (size_t i = After(hole); slots_[i].entry != nullptr; i = After(i)) {
    const size_t mask = slots_.size() - 1;
    const size_t from_home = (i - Home(slots_[i].hash)) & mask;
    if (from_home < ((i - hole) & mask)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = {};
  --used_;
}

void EntryIndex::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.entry == nullptr) continue;
    size_t i = Home(slot.hash);
    while (slots_[i].entry != nullptr) i = After(i);
    slots_[i] = slot;
  }
}

}  // namespace berth::store
