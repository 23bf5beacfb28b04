// SPDX-License-Identifier: Apache-2.0
#include "store/hub/object_table.h"

#include <algorithm>

namespace berth::store {

ObjectTable::Entry& ObjectTable::FindOrAdd(const Key& key) {
  if (Entry* entry = Find(key)) return *entry;
  Entry& entry = *ordered_.try_emplace(key).first;
  index_.Insert(entry);
  return entry;
}

void ObjectTable::Erase(const Entry& entry) {
  index_.Erase(entry);
  ordered_.erase(ordered_.find(entry.first));
}

bool ObjectTable::SkipUnselected(const std::vector<std::string>& kinds, const std::string& space,
                                 Ordered::iterator& at) {
  while (at != ordered_.end()) {
    const Key& key = at->first;
    if (!kinds.empty()) {
      const auto kind = std::ranges::lower_bound(kinds, key.kind);
      if (kind == kinds.end()) return false;
      if (*kind != key.kind) {
        at = ordered_.lower_bound(Key{*kind, space, ""});
        continue;
      }
    }
    if (space.empty() || key.namespace_ == space) return true;
    // Appending a zero byte yields the next string in bytewise order.
    at = key.namespace_ < space ? ordered_.lower_bound(Key{key.kind, space, ""})
                                : ordered_.lower_bound(Key{key.kind + '\0', "", ""});
  }
  return false;
}

}  // namespace berth::store
