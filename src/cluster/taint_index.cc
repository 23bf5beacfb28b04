// SPDX-License-Identifier: Apache-2.0
#include "cluster/taint_index.h"

#include <algorithm>

namespace berth::cluster {

void TaintIndex::SetNode(framework::NodeId id, const std::vector<api::Taint>& taints) {
  const auto it = std::find(sets_.begin(), sets_.end(), taints);
  set_of_node_[id] = static_cast<uint32_t>(it - sets_.begin());
  if (it == sets_.end()) sets_.push_back(taints);
}

}  // namespace berth::cluster
