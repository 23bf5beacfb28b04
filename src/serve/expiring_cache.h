// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace berth::serve {

// Remembers values for a time each, up to a number of them: then the one that was not asked for longest goes. Time is
// handed in and never goes back. One thread.
template <typename T>
class ExpiringCache {
 public:
  explicit ExpiringCache(size_t capacity) : capacity_(capacity) {}

  std::optional<T> Find(const std::string& key, Duration now) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    if (found->second->expires <= now) {
      Erase(found);
      return std::nullopt;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->value;
  }

  // Nothing is remembered for no time.
  void Set(const std::string& key, T value, Duration now, Duration time_to_live) {
    if (time_to_live <= Duration(0)) return;
    if (const auto found = by_key_.find(key); found != by_key_.end()) Erase(found);
    entries_.push_front({key, std::move(value), now + time_to_live});
    by_key_.emplace(entries_.front().key, entries_.begin());
    if (entries_.size() > capacity_) Erase(by_key_.find(entries_.back().key));
  }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    T value;
    Duration expires;
  };
  using Entries = std::list<Entry>;  // the latest first
  // The keys point into the list's nodes, which do not move.
  using ByKey = std::unordered_map<std::string_view, typename Entries::iterator>;

  void Erase(typename ByKey::iterator found) {
    const auto entry = found->second;
    by_key_.erase(found);
    entries_.erase(entry);
  }

  const size_t capacity_;
  Entries entries_;
  ByKey by_key_;
};

}  // namespace berth::serve
