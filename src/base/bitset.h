// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace berth {

// A growable set of small integers, one bit each, worked on 64 at a time.
// Binary operations take sets of the same size; bits at or above size() are always zero.
class Bitset {
 public:
  using Word = uint64_t;
  static constexpr size_t kWordBits = 64;

  Bitset() = default;
  explicit Bitset(size_t size, bool value = false) { Resize(size, value); }

  size_t size() const { return size_; }
  void Resize(size_t size, bool value = false);

  bool Test(size_t i) const { return ((words_[i / kWordBits] >> (i % kWordBits)) & 1U) != 0; }
  void Set(size_t i) { words_[i / kWordBits] |= Word{1} << (i % kWordBits); }
  void Reset(size_t i) { words_[i / kWordBits] &= ~(Word{1} << (i % kWordBits)); }
  void Assign(size_t i, bool value) { value ? Set(i) : Reset(i); }
  void SetAll();
  void ResetAll();

  size_t Count() const;
  bool Any() const;
  bool None() const { return !Any(); }

  void And(const Bitset& other);
  void AndNot(const Bitset& other);
  void Or(const Bitset& other);

  std::span<const Word> words() const { return words_; }
  std::span<Word> mutable_words() { return words_; }

  // Calls f(index) for every set bit, in ascending order.
  template <typename F>
  void ForEach(F&& f) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (Word bits = words_[w]; bits != 0; bits &= bits - 1) {
        f(w * kWordBits + static_cast<size_t>(std::countr_zero(bits)));
      }
    }
  }

  friend bool operator==(const Bitset&, const Bitset&) = default;

 private:
  void TrimTail();
  std::vector<Word> words_;
  size_t size_ = 0;
};

}  // namespace berth
