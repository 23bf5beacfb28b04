// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "base/string_map.h"
#include "framework/cluster_view.h"
#include "framework/lister.h"
#include "plugins/storage/changed_rows.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugins {

// What every node can attach and at most has attached, in columns that follow the cluster. Counting exactly takes a
// lookup per volume; these bounds settle all but the nodes that are nearly full. For one cluster.
// Refresh is for the engine thread; until the next, any thread may read.
class LimitIndex {
 public:
  // Catches up with the cluster.
  void Refresh(const framework::ClusterView& cluster, const framework::Lister& lister);

  // Nodes with a CSINode object; those among them where at least one driver has a limit.
  const Bitset& with_csi_node() const { return with_csi_node_; }
  const Bitset& with_limits() const { return with_limits_; }
  // Nodes where counting may fail: only an exact count tells.
  const Bitset& doubtful() const { return doubtful_; }
  // Nodes where `added` more volumes of the driver may exceed its limit.
  Bitset NearLimit(std::string_view driver, int64_t added) const;

 private:
  static constexpr int32_t kNoLimit = INT32_MAX;

  void ReadPods(framework::NodeId id, const framework::NodeInfo* row);
  void ReadLimits(framework::NodeId id, const api::CsiNode* csi_node);
  void CountAttachments(const framework::ClusterView& cluster, const framework::Lister& lister);

  storage::ChangedRows changed_rows_;
  uint64_t csi_nodes_version_ = 0;
  uint64_t attachments_version_ = 0;
  Bitset with_csi_node_;
  Bitset with_limits_;
  Bitset doubtful_;
  std::vector<std::string> names_;            // by NodeId
  std::vector<int32_t> volumes_of_pods_;      // by NodeId: at most this many
  std::vector<int32_t> attachments_;          // by NodeId
  StringMap<std::vector<int32_t>> limit_of_;  // driver → by NodeId
};

}  // namespace berth::plugins
