// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "framework/node_info.h"
#include "framework/status.h"
#include "framework/verdicts.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace berth::framework {

// Makes `list` the members of the set, ascending.
inline void ListNodes(const Bitset& nodes, std::vector<NodeId>& list) {
  list.resize(nodes.Count());
  NodeId* next = list.data();
  for (size_t w = 0; w < nodes.words().size(); ++w) {
    Bitset::Word bits = nodes.words()[w];
    const auto base = static_cast<NodeId>(w * Bitset::kWordBits);
    if (bits == ~Bitset::Word{0}) {
      for (NodeId i = 0; i < Bitset::kWordBits; ++i) *next++ = base + i;
      continue;
    }
    for (; bits != 0; bits &= bits - 1) *next++ = base + static_cast<NodeId>(std::countr_zero(bits));
  }
}

// Questions about all nodes of a set are worked on 64 nodes at a time without a branch per node. They therefore ask
// about neighbours of members too: `holds` must bear any id below the set's size.

// Word `w` of the nodes of `among` for which `holds(node)` is true.
template <typename F>
Bitset::Word WordWhere(const Bitset& among, size_t w, F&& holds) {
  const Bitset::Word members = among.words()[w];
  if (members == 0) return 0;
  const size_t first = w * Bitset::kWordBits;
  const size_t count = std::min(Bitset::kWordBits, among.size() - first);
  Bitset::Word matches = 0;
  for (size_t i = 0; i < count; ++i) {
    matches |= static_cast<Bitset::Word>(holds(static_cast<NodeId>(first + i))) << i;
  }
  return members & matches;
}

// Keeps the nodes of `nodes` for which `holds(node)` is true.
template <typename F>
void KeepWhere(Bitset& nodes, F&& holds) {
  for (size_t w = 0; w < nodes.words().size(); ++w) nodes.mutable_words()[w] = WordWhere(nodes, w, holds);
}

// Rejects the passing nodes for which `holds(node)` is true.
template <typename F>
void RejectWhere(Verdicts& verdicts, const Status& status, F&& holds) {
  Verdicts::Id verdict = Verdicts::kPass;
  for (size_t w = 0; w < verdicts.passing().words().size(); ++w) {
    const Bitset::Word rejected = WordWhere(verdicts.passing(), w, holds);
    if (rejected == 0) continue;
    if (verdict == Verdicts::kPass) verdict = verdicts.Intern(status);
    verdicts.RejectWord(w, rejected, [verdict](NodeId) { return verdict; });
  }
}

}  // namespace berth::framework
