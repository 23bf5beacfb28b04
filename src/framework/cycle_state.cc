// SPDX-License-Identifier: Apache-2.0
#include "framework/cycle_state.h"

namespace berth::framework {

CycleState CycleState::Clone() const {
  CycleState copy;
  copy.entries_.reserve(entries_.size());
  for (const auto& [name, data] : entries_) copy.entries_.emplace_back(name, data->Clone());
  return copy;
}

const StateData* CycleState::Find(std::string_view name) const {
  for (const auto& [entry, data] : entries_) {
    if (entry == name) return data.get();
  }
  return nullptr;
}

void CycleState::Put(std::string_view name, std::unique_ptr<StateData> data) {
  for (auto& [entry, existing] : entries_) {
    if (entry == name) {
      existing = std::move(data);
      return;
    }
  }
  entries_.emplace_back(name, std::move(data));
}

}  // namespace berth::framework
