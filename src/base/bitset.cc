// SPDX-License-Identifier: Apache-2.0
#include "base/bitset.h"

#include "base/check.h"

#include <algorithm>

namespace berth {

void Bitset::Resize(size_t size, bool value) {
  const size_t old_size = size_;
  words_.resize((size + kWordBits - 1) / kWordBits, value ? ~Word{0} : Word{0});
  size_ = size;
  if (value) {
    for (size_t i = old_size; i < std::min(size, (old_size + kWordBits - 1) / kWordBits * kWordBits); ++i) Set(i);
  }
  TrimTail();
}

void Bitset::SetAll() {
  std::fill(words_.begin(), words_.end(), ~Word{0});
  TrimTail();
}

void Bitset::ResetAll() { std::fill(words_.begin(), words_.end(), Word{0}); }

size_t Bitset::Count() const {
  size_t count = 0;
  for (const Word word : words_) count += static_cast<size_t>(std::popcount(word));
  return count;
}

bool Bitset::Any() const {
  return std::any_of(words_.begin(), words_.end(), [](Word word) { return word != 0; });
}

void Bitset::And(const Bitset& other) {
  BERTH_CHECK(size_ == other.size_);
  for (size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
}

void Bitset::AndNot(const Bitset& other) {
  BERTH_CHECK(size_ == other.size_);
  for (size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
}

void Bitset::Or(const Bitset& other) {
  BERTH_CHECK(size_ == other.size_);
  for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
}

void Bitset::TrimTail() {
  if (size_ % kWordBits != 0) words_.back() &= (Word{1} << (size_ % kWordBits)) - 1;
}

}  // namespace berth
