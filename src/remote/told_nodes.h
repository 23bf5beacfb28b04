// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "base/string_map.h"
#include "framework/cluster_view.h"
#include "framework/node_info.h"
#include "remote/objects_writer.h"
#include "remote/told_pods.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::remote {

// The nodes that a plugin has been told of, with the pods on them in the order in which the plugin has them. One
// thread.
class ToldNodes {
 public:
  // Whether container images are told, too.
  void SetTellsImages(bool tells) { tells_images_ = tells; }
  // Tells what has changed since the last time.
  void Sync(const framework::ClusterView& cluster, ToldPods& pods, ObjectsWriter& out);
  // The pods on the node as the plugin has them.
  const std::vector<framework::PodInfoPtr>& pods_on(framework::NodeId node) const { return rows_[node].pods; }

 private:
  struct Row {
    api::NodePtr node;  // null where there is none
    std::vector<framework::PodInfoPtr> pods;
  };

  void FindSuspects(const framework::ClusterView& cluster);
  void RemoveGone(const framework::ClusterView& cluster, ToldPods& pods, ObjectsWriter& out);
  void SyncRow(const framework::NodeInfo& info, Row& row, ToldPods& pods, ObjectsWriter& out);
  void AddPod(const framework::PodInfoPtr& pod, framework::NodeId node, ToldPods& pods, ObjectsWriter& out);
  void AddNew(const framework::NodeInfo& info, ToldPods& pods, ObjectsWriter& out);
  void PutInOrder(const framework::NodeInfo& info, ToldPods& pods, ObjectsWriter& out);
  void NoteImages(const api::Node& node, bool have_changed);
  void TellImages(const framework::ClusterView& cluster, ObjectsWriter& out);

  std::vector<Row> rows_;           // by NodeId
  std::vector<uint64_t> versions_;  // row_version() of each when it was told
  Bitset told_;                     // which numbers are nodes
  std::vector<uint64_t> cycles_;    // row_cycle() of each when it was told
  uint64_t cycle_ = 0;              // the cluster's when it was last looked at
  bool tells_images_ = false;
  // Those whose holders may have changed, and whether they surely have.
  StringMap<bool> images_;
  StringMap<std::vector<framework::ImageState::Spread>> told_images_;  // their histories
  std::vector<framework::NodeId> suspects_;  // rows that may have changed; kept for its memory
};

}  // namespace berth::remote
