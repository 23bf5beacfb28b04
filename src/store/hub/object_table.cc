// SPDX-License-Identifier: Apache-2.0
#include "store/hub/object_table.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace berth::store {

const RecordPtr& VersionChain::At(Revision revision) const {
  if (newest_ != nullptr && newest_->modified <= revision) return present();
  const auto first = older_.begin() + static_cast<std::ptrdiff_t>(dropped_);
  const auto after = std::partition_point(first, older_.end(),
                                          [&](const Version& version) { return version.record->modified <= revision; });
  if (after == first) return kNoRecord;
  const Version& version = *std::prev(after);
  return version.deleted ? kNoRecord : version.record;
}

void VersionChain::Push(RecordPtr record, bool deleted) {
  // Two states of one revision: only the second is ever visible.
  const bool replaces = newest_ != nullptr && newest_->modified == record->modified;
  if (newest_ != nullptr && !replaces) older_.push_back({std::move(newest_), deleted_});
  newest_ = std::move(record);
  deleted_ = deleted;
}

void VersionChain::ForgetBefore(Revision revision) {
  // The state at `revision` itself stays: it is the last one not younger.
  const auto has_successor_by_then = [&](size_t i) {
    const Record& next = i + 1 < older_.size() ? *older_[i + 1].record : *newest_;
    return next.modified <= revision;
  };
  while (dropped_ < older_.size() && has_successor_by_then(dropped_)) older_[dropped_++].record.reset();
  if (dropped_ == older_.size()) {
    std::vector<Version>().swap(older_);
    dropped_ = 0;
  } else if (dropped_ > older_.size() / 2) {
    older_.erase(older_.begin(), older_.begin() + static_cast<std::ptrdiff_t>(dropped_));
    dropped_ = 0;
  }
}

size_t ObjectTable::Hash::operator()(const Key& key) const {
  constexpr std::hash<std::string_view> kHash;
  size_t hash = kHash(key.name);
  hash = hash * 31 + kHash(key.namespace_);
  return hash * 31 + kHash(key.kind);
}

ObjectTable::Entry* ObjectTable::Find(const Key& key) {
  const auto found = hashed_.find(key);
  return found == hashed_.end() ? nullptr : *found;
}

ObjectTable::Entry& ObjectTable::FindOrAdd(const Key& key) {
  if (Entry* entry = Find(key)) return *entry;
  Entry& entry = *ordered_.try_emplace(key).first;
  hashed_.insert(&entry);
  return entry;
}

void ObjectTable::Erase(const Entry& entry) {
  hashed_.erase(hashed_.find(entry.first));
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
    // The zero byte makes the next text in bytewise order.
    at = key.namespace_ < space ? ordered_.lower_bound(Key{key.kind, space, ""})
                                : ordered_.lower_bound(Key{key.kind + '\0', "", ""});
  }
  return false;
}

}  // namespace berth::store
