// SPDX-License-Identifier: Apache-2.0
#include "framework/cycle_state.h"

namespace berth::framework {

void CycleState::Entry::Forget() {
  if (is_written && !data->Recycle()) data.reset();
  is_written = false;
}

CycleState CycleState::Clone() const {
  CycleState copy;
  copy.entries_.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    if (entry.is_written) copy.entries_.push_back({entry.name, entry.data->Clone(), true});
  }
  return copy;
}

void CycleState::Reset() {
  for (Entry& entry : entries_) entry.Forget();
}

void CycleState::EndDecision(CycleState& next) {
  for (Entry& entry : entries_) {
    if (!entry.is_written || !entry.data->EndsWithDecision()) continue;
    entry.Forget();
    if (entry.data == nullptr) continue;
    Entry* there = next.FindEntry(entry.name);
    if (there == nullptr) there = &next.entries_.emplace_back(Entry{entry.name, nullptr});
    if (there->data == nullptr) there->data = std::move(entry.data);
    entry.data = nullptr;
  }
}

CycleState::Entry* CycleState::FindEntry(std::string_view name) {
  for (Entry& entry : entries_) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

const StateData* CycleState::Find(std::string_view name) const {
  const Entry* entry = const_cast<CycleState*>(this)->FindEntry(name);
  return entry != nullptr && entry->is_written ? entry->data.get() : nullptr;
}

void CycleState::Put(std::string_view name, std::unique_ptr<StateData> data) {
  Entry* entry = FindEntry(name);
  if (entry == nullptr) entry = &entries_.emplace_back(Entry{name, nullptr});
  entry->data = std::move(data);
  entry->is_written = true;
}

StateData* CycleState::Revive(std::string_view name) {
  Entry* entry = FindEntry(name);
  if (entry == nullptr) return nullptr;
  entry->Forget();
  entry->is_written = entry->data != nullptr;
  return entry->data.get();
}

void CycleState::Remove(std::string_view name) {
  if (Entry* entry = FindEntry(name)) entry->Forget();
}

}  // namespace berth::framework
