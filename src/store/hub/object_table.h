// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/record.h"

#include <cstddef>
#include <functional>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace berth::store {

// Stands for an object that is not there.
inline const RecordPtr kNoRecord;

// What is known of one key: its latest state and the earlier ones that the history still reaches. One thread at a time.
class VersionChain {
 public:
  // The present state; null when the key has none.
  const RecordPtr& present() const { return deleted_ ? kNoRecord : newest_; }
  // The state at `revision`, which the history must still reach; null when the key had none.
  const RecordPtr& At(Revision revision) const;

  // Appends a state. A deletion is a state, too: it holds the last record, stamped with the deletion's revision.
  void Push(RecordPtr record, bool deleted);
  // Drops what only readers of revisions before `revision` could ask for.
  void ForgetBefore(Revision revision);
  // Says whether the key has no state at all, so that nobody would miss the chain.
  bool Forgotten(Revision floor) const { return deleted_ && newest_->modified <= floor; }

 private:
  struct Version {
    RecordPtr record;
    bool deleted = false;
  };

  RecordPtr newest_;
  bool deleted_ = false;
  size_t dropped_ = 0;  // of older_, whose front is given up in bulk so that dropping one costs no shift
  std::vector<Version> older_;
};

// All keys with their version chains, found by hash and walked in order. Entries stay where they are. One thread at a
// time.
class ObjectTable {
 public:
  using Entry = std::pair<const Key, VersionChain>;

  ObjectTable() = default;
  ObjectTable(const ObjectTable&) = delete;
  ObjectTable& operator=(const ObjectTable&) = delete;

  Entry* Find(const Key& key);
  Entry& FindOrAdd(const Key& key);
  void Erase(const Entry& entry);

  // Where a walk stands: the last key it has seen.
  struct Walk {
    Key last;
    bool started = false;
  };
  // Calls `visit` for the keys after `walk` that a selection of these kinds (sorted, none for all) and this namespace
  // (none for all) may hold, and moves `walk` on. Ends after `steps` keys or when `visit` returns false. Says whether
  // it came to the end of the table.
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
  // Transparent, so that a lookup makes no entry. Not noexcept on purpose: libstdc++ then keeps each entry's hash.
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Key& key) const;
    size_t operator()(const Entry* entry) const { return (*this)(entry->first); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Entry* a, const Entry* b) const { return a == b; }
    bool operator()(const Key& key, const Entry* entry) const { return SameKey(key, entry->first); }
    bool operator()(const Entry* entry, const Key& key) const { return SameKey(key, entry->first); }
    // Names differ more often than kinds.
    static bool SameKey(const Key& a, const Key& b) {
      return a.name == b.name && a.namespace_ == b.namespace_ && a.kind == b.kind;
    }
  };

  // Moves on to the next entry that may be selected; false at the end.
  bool SkipUnselected(const std::vector<std::string>& kinds, const std::string& space, Ordered::iterator& at);

  Ordered ordered_;
  std::unordered_set<Entry*, Hash, Equal> hashed_;
};

}  // namespace berth::store
