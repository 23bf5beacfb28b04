// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/node_info.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace berth::framework {

// How many of something each node has: zero almost everywhere, so 64-node blocks exist only where something was
// counted.
class NodeCounts {
 public:
  static constexpr size_t kBlock = 64;

  NodeCounts() = default;
  NodeCounts(const NodeCounts& other);
  NodeCounts& operator=(const NodeCounts& other);
  NodeCounts(NodeCounts&&) = default;
  NodeCounts& operator=(NodeCounts&&) = default;

  int32_t Get(NodeId node) const {
    const size_t block = node / kBlock;
    return block < blocks_.size() && blocks_[block] != nullptr ? (*blocks_[block])[node % kBlock] : 0;
  }
  void Add(NodeId node, int32_t amount);
  int64_t total() const { return total_; }

  // Calls f(node, count) for every node whose count is not zero, in ascending order.
  template <typename F>
  void ForEach(F&& f) const {
    for (size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b] == nullptr) continue;
      for (size_t i = 0; i < kBlock; ++i) {
        if (const int32_t count = (*blocks_[b])[i]; count != 0) f(static_cast<NodeId>(b * kBlock + i), count);
      }
    }
  }

  friend bool operator==(const NodeCounts& a, const NodeCounts& b);

 private:
  using Block = std::array<int32_t, kBlock>;
  std::vector<std::unique_ptr<Block>> blocks_;
  int64_t total_ = 0;
};

}  // namespace berth::framework
