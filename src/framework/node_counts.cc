// SPDX-License-Identifier: Apache-2.0
#include "framework/node_counts.h"

#include <algorithm>

namespace berth::framework {

NodeCounts::NodeCounts(const NodeCounts& other) { *this = other; }

NodeCounts& NodeCounts::operator=(const NodeCounts& other) {
  if (this == &other) return *this;
  blocks_.clear();
  blocks_.reserve(other.blocks_.size());
  for (const auto& block : other.blocks_)
    blocks_.push_back(block == nullptr ? nullptr : std::make_unique<Block>(*block));
  total_ = other.total_;
  return *this;
}

void NodeCounts::Add(NodeId node, int32_t amount) {
  const size_t block = node / kBlock;
  if (block >= blocks_.size()) blocks_.resize(block + 1);
  if (blocks_[block] == nullptr) blocks_[block] = std::make_unique<Block>();
  (*blocks_[block])[node % kBlock] += amount;
  total_ += amount;
}

bool operator==(const NodeCounts& a, const NodeCounts& b) {
  if (a.total_ != b.total_) return false;
  const size_t blocks = std::max(a.blocks_.size(), b.blocks_.size());
  for (NodeId node = 0; node < blocks * NodeCounts::kBlock; ++node) {
    if (a.Get(node) != b.Get(node)) return false;
  }
  return true;
}

}  // namespace berth::framework
