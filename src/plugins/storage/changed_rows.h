// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_view.h"

#include <cstdint>
#include <vector>

namespace berth::plugins::storage {

// Remembers which version of each row it has seen, so that what a plugin derives from rows is made anew only where a
// row changed. For one cluster: forks count their versions apart. Engine thread only.
class ChangedRows {
 public:
  // Calls f(id) for every slot that changed since the last call, those that fell vacant included.
  template <typename F>
  void ForEach(const framework::ClusterView& cluster, F&& f) {
    const std::span<const uint64_t> now = cluster.row_version();
    seen_.resize(now.size());
    for (size_t id = 0; id < now.size(); ++id) {
      if (seen_[id] == now[id]) continue;
      seen_[id] = now[id];
      f(static_cast<framework::NodeId>(id));
    }
  }

 private:
  std::vector<uint64_t> seen_;  // by NodeId; zero for slots that were vacant
};

}  // namespace berth::plugins::storage
