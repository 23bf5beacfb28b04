// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/document.h"
#include "api/value.h"
#include "base/string_map.h"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
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
    return spelled == nullptr ? part : Shared(api::ToJson(*spelled), std::move(part));
  }
  // The same by any spelling that determines the part, such as its bytes on the wire.
  std::shared_ptr<const Part> Shared(std::string spelling, std::shared_ptr<const Part> part) {
    if (const auto it = parts_.find(spelling); it != parts_.end()) {
      if (std::shared_ptr<const Part> known = it->second.lock()) return known;
      it->second = part;
      return part;
    }
    ForgetSome();
    order_.push_back(&parts_.emplace(std::move(spelling), part).first->first);
    return part;
  }
  // Null when no pod has a part of this spelling.
  std::shared_ptr<const Part> Find(std::string_view spelling) const {
    const auto it = parts_.find(spelling);
    return it == parts_.end() ? nullptr : it->second.lock();
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
  StringMap<std::weak_ptr<const Part>> parts_;  // by their spelling
  std::deque<const std::string*> order_;        // the keys; longest not looked at first
};

}  // namespace berth::home
