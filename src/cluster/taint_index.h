// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/taint.h"
#include "framework/cluster_view.h"
#include "framework/node_info.h"

#include <cstdint>
#include <vector>

namespace berth::cluster {

// Gives nodes with equal taints (in equal order) one set number.
class TaintIndex {
 public:
  TaintIndex() : sets_(1) {}
  void Resize(size_t slots) { set_of_node_.resize(slots, 0); }
  void SetNode(framework::NodeId id, const std::vector<api::Taint>& taints);
  void ClearNode(framework::NodeId id) { set_of_node_[id] = 0; }
  framework::TaintColumn column() const { return {set_of_node_, sets_}; }

 private:
  std::vector<uint32_t> set_of_node_;
  std::vector<std::vector<api::Taint>> sets_;  // set 0 is empty; sets are few and never forgotten
};

}  // namespace berth::cluster
