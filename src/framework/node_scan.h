// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "framework/node_info.h"

#include <algorithm>

namespace berth::framework {

// The nodes of `among` for which `holds(node)` is true. Works on 64 nodes at a time without a branch per node, and
// therefore asks about neighbours of members too: `holds` must bear any id below among.size().
template <typename F>
Bitset NodesWhere(const Bitset& among, F&& holds) {
  Bitset found(among.size());
  for (size_t w = 0; w < among.words().size(); ++w) {
    const Bitset::Word members = among.words()[w];
    if (members == 0) continue;
    const size_t first = w * Bitset::kWordBits;
    const size_t count = std::min(Bitset::kWordBits, among.size() - first);
    Bitset::Word matches = 0;
    for (size_t i = 0; i < count; ++i) {
      matches |= static_cast<Bitset::Word>(holds(static_cast<NodeId>(first + i))) << i;
    }
    found.mutable_words()[w] = members & matches;
  }
  return found;
}

}  // namespace berth::framework
