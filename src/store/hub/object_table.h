// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/hub/entry_index.h"
#include "store/hub/version_chain.h"
#include "store/record.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace berth::store {

// All keys with their version chains, found by hash and walked in order. Entries never move. One thread at a time.
class ObjectTable {
 public:
  using Entry = EntryIndex::Entry;

  ObjectTable() = default;
  ObjectTable(const ObjectTable&) = delete;
  ObjectTable& operator=(const ObjectTable&) = delete;

  Entry* Find(const Key& key) const { return index_.Find(key); }
  // Finds several at once, which is much faster than one by one. `entries` is parallel to the keys.
  void Find(std::span<const Key* const> keys, std::span<Entry*> entries) const { index_.Find(keys, entries); }
  Entry& FindOrAdd(const Key& key);
  void Erase(const Entry& entry);

  // The position of a walk: the last key it visited.
  struct Walk {
    Key last;
    bool started = false;
  };
  // Calls `visit` for the entries after `walk` of these kinds (sorted; empty for all) and this namespace (empty for
  // all), and advances `walk`. Stops after `steps` entries or when `visit` returns false. Returns whether it reached
  // the end of the table.
  template <typename Visit>
  bool Scan(const std::vector<std::string>& kinds, const std::string& space, size_t steps, Walk& walk, Visit&& visit) {
    auto at = walk.started ? ordered_.upper_bound(walk.last) : ordered_.begin();
    const Key* seen = nullptr;
    bool more = false;
    for (; SkipUnselected(kinds, space, at); ++at) {
      more = steps == 0;
      if (more) break;
      --steps;
      seen = &at->first;
      more = !visit(*at);
      if (more) break;
    }
    if (seen != nullptr) walk = {*seen, true};
    return !more;
  }

 private:
  using Ordered = std::map<Key, VersionChain>;
  // Advances to the next entry that may be selected; false at the end.
  bool SkipUnselected(const std::vector<std::string>& kinds, const std::string& space, Ordered::iterator& at);

  Ordered ordered_;
  EntryIndex index_;
};

}  // namespace berth::store
