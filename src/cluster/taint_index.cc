// SPDX-License-Identifier: Apache-2.0
#include "cluster/taint_index.h"

#include <algorithm>
#include <utility>

namespace berth::cluster {
namespace {

// Equal for sets that compare equal.
std::string TextOf(const std::vector<api::Taint>& taints) {
  std::string text;
  for (const api::Taint& taint : taints) {
    text += taint.key;
    text += '\0';
    text += taint.value;
    text += '\0';
    text += static_cast<char>('0' + static_cast<int>(taint.effect));
    text += '\0';
  }
  return text;
}

}  // namespace

void TaintIndex::SetNode(framework::NodeId id, const std::vector<api::Taint>& taints) {
  if (taints == sets_[set_of_node_[id]]) return;
  Assign(id, taints.empty() ? 0 : NumberOf(taints));
}

uint32_t TaintIndex::NumberOf(const std::vector<api::Taint>& taints) {
  const auto [it, is_new] = number_of_.try_emplace(TextOf(taints), static_cast<uint32_t>(sets_.size()));
  if (is_new) {
    sets_.push_back(taints);
    nodes_in_set_.push_back(0);
  }
  return it->second;
}

void TaintIndex::Assign(framework::NodeId id, uint32_t set) {
  const uint32_t before = std::exchange(set_of_node_[id], set);
  if (set != 0) ++nodes_in_set_[set];
  if (before != 0 && --nodes_in_set_[before] == 0) Forget(before);
}

void TaintIndex::Forget(uint32_t set) {
  const auto last = static_cast<uint32_t>(sets_.size() - 1);
  number_of_.erase(TextOf(sets_[set]));
  if (set != last) {
    number_of_.find(TextOf(sets_[last]))->second = set;
    sets_[set] = std::move(sets_[last]);
    nodes_in_set_[set] = nodes_in_set_[last];
    std::ranges::replace(set_of_node_, last, set);
  }
  sets_.pop_back();
  nodes_in_set_.pop_back();
}

}  // namespace berth::cluster
