// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/resources.h"
#include "base/interner.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::framework {

// A resource by number. The first three are fixed; scalar resources (extended, hugepages, …) get theirs on sight.
enum class ResourceId : uint32_t { Cpu = 0, Memory = 1, EphemeralStorage = 2, FirstScalar = 3 };

inline size_t IndexOf(ResourceId id) { return static_cast<size_t>(id); }

// The names behind resource numbers, one table per engine. Any thread: a plugin may name a resource in Filter while a
// new one gets its number. Names stay where they are.
class ResourceNames {
 public:
  ResourceNames();
  ResourceId Intern(std::string_view name) BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return static_cast<ResourceId>(names_.Intern(name));
  }
  const std::string& Name(ResourceId id) const BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return names_.Text(static_cast<Interner::Id>(id));
  }
  size_t size() const BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return names_.size();
  }

 private:
  mutable Mutex mutex_;
  Interner names_ BERTH_GUARDED_BY(mutex_);
};

// Amounts of resources in the units scheduling counts in: thousandths of a cpu, bytes, pieces.
struct ResourceAmounts {
  int64_t cpu = 0;
  int64_t memory = 0;
  int64_t ephemeral_storage = 0;
  std::vector<std::pair<ResourceId, int64_t>> scalars;  // sorted by id

  // Counts cpu, memory, ephemeral storage and scalar resources; other names ("pods", "storage") are left out.
  static ResourceAmounts From(const api::ResourceList& list, ResourceNames& names);

  int64_t Get(ResourceId id) const;
  void AddTo(ResourceId id, int64_t amount);
  void Add(const ResourceAmounts& other);
  void Subtract(const ResourceAmounts& other);
  friend bool operator==(const ResourceAmounts&, const ResourceAmounts&) = default;
};

}  // namespace berth::framework
