// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/document.h"
#include "api/value.h"
#include "base/string_map.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace berth::home {

// Lets pods share parts of their documents that are spelled the same, and with them everything derived from such parts:
// the specs of one template, the statuses of pods that have none to speak of. Remembers the latest parts only. One
// thread.
template <typename Part>
class PartTable {
 public:
  explicit PartTable(size_t capacity = 2'048) : capacity_(capacity) {}

  // What an earlier pod had whose document spelled it the same, or `part`.
  std::shared_ptr<const Part> Shared(const api::Value* spelled, std::shared_ptr<const Part> part) {
    if (spelled == nullptr) return part;
    std::string text = api::ToJson(*spelled);
    if (const auto it = parts_.find(text); it != parts_.end()) return it->second;
    if (parts_.size() >= capacity_) {
      parts_.erase(order_.front());
      order_.pop_front();
    }
    order_.push_back(text);
    parts_.emplace(std::move(text), part);
    return part;
  }

 private:
  size_t capacity_;
  StringMap<std::shared_ptr<const Part>> parts_;  // by their JSON
  std::deque<std::string> order_;                 // oldest first
};

}  // namespace berth::home
