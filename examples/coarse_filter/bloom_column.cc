// SPDX-License-Identifier: Apache-2.0
#include "bloom_column.h"

#include <map>

namespace coarse {

using berth::Bitset;
using berth::NodeId;

namespace {

// FNV-1a over both texts, then mixed, so that all bits depend on all letters.
uint64_t HashOf(const Label& label) {
  uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (const char c : label.first) add(static_cast<unsigned char>(c));
  add(0);
  for (const char c : label.second) add(static_cast<unsigned char>(c));
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31U);
}

}  // namespace

template <typename F>
void BloomColumn::ForEachBit(const Label& label, F&& f) const {
  // Two hashes make as many as are needed.
  const uint64_t hash = HashOf(label);
  const uint64_t step = (hash >> 32U) | 1U;
  for (uint64_t i = 0, at = hash; i < size_.hashes; ++i, at += step) {
    const uint64_t bit = at & (size_.bits - 1);
    f(bit / 64, uint64_t{1} << (bit % 64));
  }
}

void BloomColumn::Resize(size_t nodes) {
  for (std::vector<uint64_t>& word : words_) word.resize(nodes);
}

void BloomColumn::Set(NodeId node, const berth::api::Labels& labels) {
  for (std::vector<uint64_t>& word : words_) word[node] = 0;
  for (const auto& [key, value] : labels) {
    ForEachBit({key, value}, [&](size_t word, uint64_t bit) { words_[word][node] |= bit; });
  }
}

void BloomColumn::DropLacking(const std::vector<Label>& labels, Bitset& nodes) const {
  std::map<size_t, uint64_t> needed;  // by word
  for (const Label& label : labels) {
    ForEachBit(label, [&](size_t word, uint64_t bit) { needed[word] |= bit; });
  }
  for (const auto& [word, bits] : needed) {
    const uint64_t* const column = words_[word].data();
    berth::KeepWhere(nodes, [column, bits = bits](NodeId node) { return (column[node] & bits) == bits; });
  }
}

}  // namespace coarse
