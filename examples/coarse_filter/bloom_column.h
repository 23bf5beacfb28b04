// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace coarse {

// How large a Bloom filter is: a power of two of bits, 64 or more, of which each label sets a few.
struct BloomSize {
  size_t bits = 256;
  size_t hashes = 3;
};

// A label that a node must have.
using Label = std::pair<std::string_view, std::string_view>;

// One Bloom filter of labels per node, as columns of words: where a pod asks for a few bits, only the words with these
// bits are read. A node that has the labels is always found; one that has not is found now and then.
class BloomColumn {
 public:
  explicit BloomColumn(const BloomSize& size) : size_(size), words_(size.bits / 64) {}

  // Makes room for this many nodes.
  void Resize(size_t nodes);
  void Set(berth::NodeId node, const berth::api::Labels& labels);
  // Takes those nodes out of the set that lack one of the labels for certain.
  void DropLacking(const std::vector<Label>& labels, berth::Bitset& nodes) const;

 private:
  template <typename F>
  void ForEachBit(const Label& label, F&& f) const;

  BloomSize size_;
  std::vector<std::vector<uint64_t>> words_;  // by word, then by NodeId
};

}  // namespace coarse
