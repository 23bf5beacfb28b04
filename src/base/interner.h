// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace berth {

// Maps equal strings to the same small number, counting from zero. Numbers and texts stay valid for its lifetime.
// One thread at a time.
class Interner {
 public:
  using Id = uint32_t;

  Interner() = default;
  Interner(const Interner& other) { *this = other; }
  Interner& operator=(const Interner& other);

  Id Intern(std::string_view text);
  std::optional<Id> Find(std::string_view text) const;
  const std::string& Text(Id id) const { return texts_[id]; }
  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // a deque never moves its elements, so the views in ids_ stay valid
  std::unordered_map<std::string_view, Id> ids_;
};

}  // namespace berth
