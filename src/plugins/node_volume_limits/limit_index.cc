// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_volume_limits/limit_index.h"

#include "api/object.h"
#include "plugins/node_volume_limits/attached_volumes.h"

#include <algorithm>

namespace berth::plugins {

using framework::ClusterView;
using framework::kNoNode;
using framework::Lister;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfoPtr;

void LimitIndex::Refresh(const ClusterView& cluster, const Lister& lister) {
  const size_t slots = cluster.node_slots();
  with_csi_node_.Resize(slots);
  with_limits_.Resize(slots);
  doubtful_.Resize(slots);
  names_.resize(slots);
  volumes_of_pods_.resize(slots);
  attachments_.resize(slots);
  for (auto& [driver, limits] : limit_of_) limits.resize(slots, kNoLimit);

  const uint64_t csi_nodes_version = lister.Version(api::KindOf<api::CsiNode>());
  const uint64_t attachments_version = lister.Version(api::KindOf<api::VolumeAttachment>());
  const auto find_csi_node = [&](NodeId id) { return names_[id].empty() ? nullptr : lister.FindCsiNode(names_[id]); };
  bool is_other_node = false;
  changed_rows_.ForEach(cluster, [&](NodeId id) {
    const NodeInfo* row = cluster.live_nodes().Test(id) ? &cluster.node(id) : nullptr;
    ReadPods(id, row);
    if (names_[id] == (row != nullptr ? row->name() : std::string())) return;
    is_other_node = true;
    names_[id] = row != nullptr ? row->name() : std::string();
    ReadLimits(id, find_csi_node(id));
  });
  if (csi_nodes_version != csi_nodes_version_) {
    for (NodeId id = 0; id < slots; ++id) ReadLimits(id, find_csi_node(id));
    // Drivers that no node limits any more.
    std::erase_if(limit_of_, [](const auto& entry) {
      return std::ranges::all_of(entry.second, [](int32_t limit) { return limit == kNoLimit; });
    });
  }
  if (is_other_node || attachments_version != attachments_version_) CountAttachments(cluster, lister);
  csi_nodes_version_ = csi_nodes_version;
  attachments_version_ = attachments_version;
}

Bitset LimitIndex::NearLimit(std::string_view driver, int64_t added) const {
  Bitset near(with_limits_.size());
  const auto it = limit_of_.find(driver);
  if (it == limit_of_.end()) return near;
  const std::vector<int32_t>& limits = it->second;
  const std::span<Bitset::Word> words = near.mutable_words();
  for (size_t w = 0; w < words.size(); ++w) {
    const size_t begin = w * Bitset::kWordBits;
    const size_t end = std::min(begin + Bitset::kWordBits, limits.size());
    for (size_t id = begin; id < end; ++id) {
      const int64_t present = int64_t{volumes_of_pods_[id]} + attachments_[id];
      words[w] |= static_cast<Bitset::Word>(present + added > limits[id]) << (id - begin);
    }
  }
  return near;
}

void LimitIndex::ReadPods(NodeId id, const NodeInfo* row) {
  int32_t count = 0;
  bool is_doubtful = false;
  if (row != nullptr) {
    for (const PodInfoPtr& pod : row->pods) {
      for (const api::Volume& volume : pod->spec().volumes) {
        if (!MayNeedAttaching(volume)) continue;
        ++count;
        is_doubtful = is_doubtful || MayFailToCount(volume);
      }
    }
  }
  volumes_of_pods_[id] = count;
  doubtful_.Assign(id, is_doubtful);
}

void LimitIndex::ReadLimits(NodeId id, const api::CsiNode* csi_node) {
  with_csi_node_.Assign(id, csi_node != nullptr);
  for (auto& [driver, limits] : limit_of_) limits[id] = kNoLimit;
  bool has_limits = false;
  if (csi_node != nullptr) {
    for (const api::CsiNodeDriver& driver : csi_node->drivers) {
      if (!driver.allocatable_count.has_value()) continue;
      has_limits = true;
      auto it = limit_of_.find(driver.name);
      if (it == limit_of_.end()) it = limit_of_.emplace(driver.name, std::vector(names_.size(), kNoLimit)).first;
      it->second[id] = *driver.allocatable_count;
    }
  }
  with_limits_.Assign(id, has_limits);
}

void LimitIndex::CountAttachments(const ClusterView& cluster, const Lister& lister) {
  std::fill(attachments_.begin(), attachments_.end(), 0);
  for (const api::VolumeAttachment* attachment : lister.VolumeAttachments()) {
    if (const NodeId id = cluster.FindNode(attachment->node_name); id != kNoNode) ++attachments_[id];
  }
}

}  // namespace berth::plugins
