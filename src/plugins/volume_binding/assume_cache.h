// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/string_map.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace berth::plugins {

// Objects as they will be once a binding in progress is done. Such an object stands for the real one until the real one
// changes: whatever the cluster says later is newer. Engine thread only.
template <typename T>
class AssumeCache {
 public:
  // `find_real` returns the cluster's object for an assumed one; null when it is gone. Now and then it is asked about
  // all of them, and what is out of date goes: so there are never many more than are in use.
  template <typename FindReal>
  void Assume(std::shared_ptr<const T> object, const FindReal& find_real) {
    if (assumed_.size() >= sweep_at_) {
      std::erase_if(assumed_, [&](const auto& entry) {
        const T* real = find_real(*entry.second);
        return real == nullptr || !IsSameVersion(*entry.second, *real);
      });
      sweep_at_ = std::max(kFewest, 2 * assumed_.size());
    }
    std::string key = object->meta.Key();
    assumed_[std::move(key)] = std::move(object);
  }

  // Forgets what was assumed of the same version of the object.
  void Restore(const T& object) {
    const auto it = assumed_.find(object.meta.Key());
    if (it != assumed_.end() && IsSameVersion(*it->second, object)) assumed_.erase(it);
  }

  // What is assumed of the cluster's object; null when nothing is, or when the object has changed since.
  std::shared_ptr<const T> Find(const T& real) const {
    if (assumed_.empty()) return nullptr;
    const auto it = assumed_.find(real.meta.Key());
    return it != assumed_.end() && IsSameVersion(*it->second, real) ? it->second : nullptr;
  }

  size_t size() const { return assumed_.size(); }

 private:
  static constexpr size_t kFewest = 64;

  static bool IsSameVersion(const T& a, const T& b) { return a.meta.resource_version == b.meta.resource_version; }

  StringMap<std::shared_ptr<const T>> assumed_;  // by key
  size_t sweep_at_ = kFewest;
};

}  // namespace berth::plugins
