// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace berth {

// Values that are alike are one object, for as long as somebody holds it: the table itself holds none, and forgets a
// value when its last holder lets go, on whichever thread that happens. Values may outlive the table. One thread looks
// up and adds.
template <typename T>
class SharedTable {
 public:
  // The value under this hash that `is_wanted` says yes to; null when there is none. `is_wanted` is asked under the
  // table's lock: it only compares.
  template <typename F>
  std::shared_ptr<const T> Find(uint64_t hash, F&& is_wanted) const {
    return index_->Find(hash, is_wanted);
  }
  std::shared_ptr<const T> Add(uint64_t hash, T value) {
    auto entry = std::make_shared<const Entry>(std::move(value), hash, index_);
    std::shared_ptr<const T> shared(entry, &entry->value);
    index_->Add(hash, shared);
    return shared;
  }
  size_t size() const { return index_->size(); }

 private:
  class Index {
   public:
    template <typename F>
    std::shared_ptr<const T> Find(uint64_t hash, F&& is_wanted) const BERTH_EXCLUDES(mutex_) {
      // Values of the same hash that are not wanted. Ours may be their last holder, so they are let go without the
      // lock.
      std::vector<std::shared_ptr<const T>> others;
      const MutexLock lock(mutex_);
      const auto [begin, end] = values_.equal_range(hash);
      for (auto it = begin; it != end; ++it) {
        std::shared_ptr<const T> value = it->second.lock();
        if (value == nullptr) continue;
        if (is_wanted(*value)) return value;
        others.push_back(std::move(value));
      }
      return nullptr;
    }
    void Add(uint64_t hash, std::weak_ptr<const T> value) BERTH_EXCLUDES(mutex_) {
      const MutexLock lock(mutex_);
      values_.emplace(hash, std::move(value));
    }
    void Forget(uint64_t hash) BERTH_EXCLUDES(mutex_) {
      const MutexLock lock(mutex_);
      const auto [begin, end] = values_.equal_range(hash);
      for (auto it = begin; it != end;) it = it->second.expired() ? values_.erase(it) : std::next(it);
    }
    size_t size() const BERTH_EXCLUDES(mutex_) {
      const MutexLock lock(mutex_);
      return values_.size();
    }

   private:
    mutable Mutex mutex_;
    std::unordered_multimap<uint64_t, std::weak_ptr<const T>> values_ BERTH_GUARDED_BY(mutex_);
  };
  // A value that takes itself out of the index.
  struct Entry {
    Entry(T taken, uint64_t under, std::shared_ptr<Index> in)
        : value(std::move(taken)), hash(under), index(std::move(in)) {}
    ~Entry() { index->Forget(hash); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    T value;
    uint64_t hash;
    std::shared_ptr<Index> index;
  };

  std::shared_ptr<Index> index_ = std::make_shared<Index>();
};

}  // namespace berth
