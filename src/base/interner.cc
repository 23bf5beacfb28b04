// SPDX-License-Identifier: Apache-2.0
#include "base/interner.h"

namespace berth {

Interner& Interner::operator=(const Interner& other) {
  if (this == &other) return *this;
  texts_.clear();
  ids_.clear();
  for (const std::string& text : other.texts_) Intern(text);
  return *this;
}

Interner::Id Interner::Intern(std::string_view text) {
  if (const auto it = ids_.find(text); it != ids_.end()) return it->second;
  const Id id = static_cast<Id>(texts_.size());
  ids_.emplace(texts_.emplace_back(text), id);
  return id;
}

std::optional<Interner::Id> Interner::Find(std::string_view text) const {
  const auto it = ids_.find(text);
  return it == ids_.end() ? std::nullopt : std::optional<Id>(it->second);
}

}  // namespace berth
