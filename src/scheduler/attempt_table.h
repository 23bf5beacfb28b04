// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/string_map.h"
#include "queue/queued_pod.h"
#include "scheduler/attempt.h"

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::scheduler {

// The attempts under way, by the uid of their pod. Attempts that have ended are kept with their buffers, so that a new
// one allocates nothing. Engine thread only.
class AttemptTable {
 public:
  // Null when the pod is not on its way.
  Attempt* Find(std::string_view uid) const;
  // A new attempt for a pod that has none.
  Attempt& Add(queue::QueuedPodPtr queued);
  // The attempt has ended, and so has the work it had elsewhere.
  void Remove(const Attempt& attempt);

  // The attempt's pod was deleted: another pod may take its name while the attempt goes on.
  void NoteDeleted(Attempt& attempt);
  // The attempt whose deleted pod had the name of `pod`; null when there is none.
  Attempt* ReplacedBy(const api::Pod& pod) const;

  size_t size() const { return attempts_.size(); }
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const auto& [uid, attempt] : attempts_) visit(*attempt);
  }

 private:
  using Table = std::unordered_map<std::string_view, std::unique_ptr<Attempt>>;  // by the uid inside the pod

  Table attempts_;
  std::vector<Table::node_type> spare_;
  StringMap<Attempt*> deleted_;  // attempts whose pod is deleted, by its namespace and name
};

}  // namespace berth::scheduler
