// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/taint.h"
#include "base/string_map.h"
#include "framework/cluster_view.h"
#include "framework/node_info.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::cluster {

// Gives nodes with equal taints (in equal order) one set number. A set that no node has any more is forgotten, and the
// last one takes over its number.
class TaintIndex {
 public:
  TaintIndex() : sets_(1), nodes_in_set_(1) {}
  void Resize(size_t slots) { set_of_node_.resize(slots, 0); }
  void SetNode(framework::NodeId id, const std::vector<api::Taint>& taints);
  void ClearNode(framework::NodeId id) { Assign(id, 0); }
  framework::TaintColumn column() const { return {set_of_node_, sets_}; }

 private:
  uint32_t NumberOf(const std::vector<api::Taint>& taints);
  void Assign(framework::NodeId id, uint32_t set);
  void Forget(uint32_t set);

  std::vector<uint32_t> set_of_node_;
  std::vector<std::vector<api::Taint>> sets_;  // set 0 is empty
  std::vector<uint32_t> nodes_in_set_;         // by set; set 0, which always stays, is not counted
  StringMap<uint32_t> number_of_;              // by the taints' text; set 0 is not among them
};

}  // namespace berth::cluster
