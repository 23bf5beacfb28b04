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
// the specs of one template, or the empty statuses of new pods. Parts that no pod uses any more are forgotten little by
// little; of those in use, only the most recent are kept. One thread at a time; pods may be destroyed on any.
template <typename Part>
class PartTable {
 public:
  explicit PartTable(size_t capacity = 2'048) : capacity_(capacity) {}

  // What an earlier pod had whose document spelled it the same, or `part`.
  std::shared_ptr<const Part> Shared(const api::Value* spelled, std::shared_ptr<const Part> part) {
    if (spelled == nullptr) return part;
    std::string text = api::ToJson(*spelled);
    if (const auto it = parts_.find(text); it != parts_.end()) {
      if (std::shared_ptr<const Part> known = it->second.lock()) return known;
      it->second = part;
      return part;
    }
    ForgetSome();
    order_.push_back(&parts_.emplace(std::move(text), part).first->first);
    return part;
  }
  size_t size() const { return parts_.size(); }

 private:
  // Looks at more parts than are added, so that those out of use stay few.
  void ForgetSome() {
    constexpr size_t kLooks = 8;
    for (size_t looked_at = 0; looked_at < kLooks && !order_.empty(); ++looked_at) {
      const std::string* text = order_.front();
      order_.pop_front();
      const auto it = parts_.find(*text);
      if (it->second.expired() || parts_.size() >= capacity_) {
        parts_.erase(it);
      } else {
        order_.push_back(text);
      }
    }
  }

  size_t capacity_;
  StringMap<std::weak_ptr<const Part>> parts_;  // by their JSON
  std::deque<const std::string*> order_;        // the keys; longest not looked at first
};

}  // namespace berth::home
