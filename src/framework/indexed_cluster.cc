// SPDX-License-Identifier: Apache-2.0
#include "framework/indexed_cluster.h"

#include <algorithm>

namespace berth::framework {

void TopologyColumn::AddNodesOf(int32_t domain, Bitset& nodes) const {
  const std::span<Bitset::Word> words = nodes.mutable_words();
  for (size_t w = 0; w < words.size(); ++w) {
    const size_t begin = w * Bitset::kWordBits;
    const size_t count = std::min(Bitset::kWordBits, domain_of_node.size() - begin);
    Bitset::Word bits = 0;
    for (size_t i = 0; i < count; ++i) bits |= static_cast<Bitset::Word>(domain_of_node[begin + i] == domain) << i;
    words[w] |= bits;
  }
}

}  // namespace berth::framework
