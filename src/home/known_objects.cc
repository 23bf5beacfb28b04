// SPDX-License-Identifier: Apache-2.0
#include "home/known_objects.h"

#include <algorithm>
#include <utility>

namespace berth::home {

void KnownObjects::EndList(std::vector<ObjectChange>& changes) {
  std::vector<store::Key> unlisted;
  const MutexLock lock(mutex_);
  for (const auto& [key, known] : known_) {
    if (known.listed != list_) unlisted.push_back(key);
  }
  std::ranges::sort(unlisted);
  for (const store::Key& key : unlisted) {
    const auto it = known_.find(key);
    changes.push_back({ObjectChange::Type::Deleted, std::move(it->second.object)});
    known_.erase(it);
  }
}

std::optional<api::Object> KnownObjects::Find(const store::Key& key) const {
  const MutexLock lock(mutex_);
  const auto it = known_.find(key);
  if (it == known_.end()) return std::nullopt;
  return it->second.object;
}

std::vector<api::Object> KnownObjects::OfKind(std::string_view kind) const {
  std::vector<api::Object> objects;
  const MutexLock lock(mutex_);
  for (const auto& [key, known] : known_) {
    if (key.kind == kind) objects.push_back(known.object);
  }
  return objects;
}

std::optional<api::Object> KnownObjects::FindReadFrom(const store::Record& record) const {
  const MutexLock lock(mutex_);
  const auto it = known_.find(record.key);
  if (it == known_.end() || it->second.value.lock() != record.value) return std::nullopt;
  return it->second.object;
}

bool KnownObjects::IsOld(const store::Record& record) {
  const MutexLock lock(mutex_);
  const auto it = known_.find(record.key);
  if (it == known_.end() || it->second.modified < record.modified) return false;
  it->second.listed = list_;
  return true;
}

bool KnownObjects::IsTold(const store::Record& record) {
  const MutexLock lock(mutex_);
  const auto it = known_.find(record.key);
  if (it == known_.end() || it->second.modified != record.modified || it->second.created != record.created) {
    return false;
  }
  it->second.listed = list_;
  return true;
}

void KnownObjects::Set(const store::Record& record, api::Object object, std::vector<ObjectChange>& changes) {
  Known fresh{object, record.created, record.modified, record.value, list_};
  {
    const MutexLock lock(mutex_);
    const auto [it, is_new] = known_.try_emplace(record.key);
    // Another object under an old name: the deletion in between was missed.
    if (!is_new && it->second.created != record.created) {
      changes.push_back({ObjectChange::Type::Deleted, it->second.object});
    }
    std::swap(it->second, fresh);
  }
  changes.push_back({ObjectChange::Type::Set, std::move(object)});
}

void KnownObjects::SetUnreadable(const store::Record& record, std::vector<ObjectChange>& changes) {
  const MutexLock lock(mutex_);
  const auto it = known_.find(record.key);
  if (it == known_.end()) return;
  it->second.listed = list_;
  if (it->second.created == record.created) return;
  changes.push_back({ObjectChange::Type::Deleted, std::move(it->second.object)});
  known_.erase(it);
}

void KnownObjects::Delete(const store::Record& record, std::vector<ObjectChange>& changes) {
  const MutexLock lock(mutex_);
  const auto it = known_.find(record.key);
  if (it == known_.end() || it->second.modified > record.modified) return;
  changes.push_back({ObjectChange::Type::Deleted, std::move(it->second.object)});
  known_.erase(it);
}

}  // namespace berth::home
