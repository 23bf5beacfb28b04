// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/string_map.h"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace berth::plugins {

// Objects as they will be once a binding in progress is done. Such an object stands for the real one until the real one
// changes: whatever the cluster says later is newer. Thread-safe.
template <typename T>
class AssumeCache {
 public:
  void Assume(std::shared_ptr<const T> object) {
    const std::lock_guard lock(mutex_);
    std::string key = object->meta.Key();
    assumed_[std::move(key)] = std::move(object);
  }

  // Forgets what was assumed of the same version of the object.
  void Restore(const T& object) {
    const std::lock_guard lock(mutex_);
    const auto it = assumed_.find(object.meta.Key());
    if (it != assumed_.end() && it->second->meta.resource_version == object.meta.resource_version) assumed_.erase(it);
  }

  // What is assumed of the object; null when nothing is, or when the object has changed since.
  std::shared_ptr<const T> Find(const T& object) const {
    const std::lock_guard lock(mutex_);
    if (assumed_.empty()) return nullptr;
    const auto it = assumed_.find(object.meta.Key());
    if (it == assumed_.end()) return nullptr;
    if (it->second->meta.resource_version == object.meta.resource_version) return it->second;
    assumed_.erase(it);
    return nullptr;
  }

 private:
  mutable std::mutex mutex_;
  mutable StringMap<std::shared_ptr<const T>> assumed_;  // by key; entries that are out of date go when they are met
};

}  // namespace berth::plugins
