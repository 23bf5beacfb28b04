// SPDX-License-Identifier: Apache-2.0
#include "home/known_objects.h"

#include <algorithm>
#include <utility>

namespace berth::home {

void KnownObjects::BeginList() {
  for (auto& [key, known] : known_) known.listed = false;
}

void KnownObjects::EndList(std::vector<ObjectChange>& changes) {
  std::vector<store::Key> unlisted;
  for (const auto& [key, known] : known_) {
    if (!known.listed) unlisted.push_back(key);
  }
  std::ranges::sort(unlisted);
  for (const store::Key& key : unlisted) {
    const auto it = known_.find(key);
    changes.push_back({ObjectChange::Type::Deleted, std::move(it->second.object)});
    known_.erase(it);
  }
}

const KnownObjects::Known* KnownObjects::Find(const store::Key& key) const {
  const auto it = known_.find(key);
  return it == known_.end() ? nullptr : &it->second;
}

bool KnownObjects::IsOld(const store::Record& record) {
  const auto it = known_.find(record.key);
  if (it == known_.end() || it->second.modified < record.modified) return false;
  it->second.listed = true;
  return true;
}

void KnownObjects::Set(const store::Record& record, api::Object object, std::vector<ObjectChange>& changes) {
  Known fresh{object, record.created, record.modified, record.value, true};
  const auto [it, is_new] = known_.try_emplace(record.key);
  // Another object under an old name: the deletion in between was missed.
  if (!is_new && it->second.created != record.created) {
    changes.push_back({ObjectChange::Type::Deleted, std::move(it->second.object)});
  }
  it->second = std::move(fresh);
  changes.push_back({ObjectChange::Type::Set, std::move(object)});
}

void KnownObjects::SetUnreadable(const store::Record& record, std::vector<ObjectChange>& changes) {
  const auto it = known_.find(record.key);
  if (it == known_.end()) return;
  it->second.listed = true;
  if (it->second.created == record.created) return;
  changes.push_back({ObjectChange::Type::Deleted, std::move(it->second.object)});
  known_.erase(it);
}

void KnownObjects::Delete(const store::Record& record, std::vector<ObjectChange>& changes) {
  const auto it = known_.find(record.key);
  if (it == known_.end() || it->second.modified > record.modified) return;
  changes.push_back({ObjectChange::Type::Deleted, std::move(it->second.object)});
  known_.erase(it);
}

}  // namespace berth::home
