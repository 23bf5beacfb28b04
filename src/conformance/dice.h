// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace berth::conformance {

// Random choices for generators; the same seed gives the same choices. One thread.
class Dice {
 public:
  explicit Dice(uint64_t seed) : rng_(seed) {}

  bool Chance(double probability) { return rng_.Chance(probability); }
  size_t Below(size_t bound) { return static_cast<size_t>(rng_.Below(bound)); }
  // In [low, high].
  int32_t Between(int32_t low, int32_t high) {
    return low + static_cast<int32_t>(rng_.Below(static_cast<uint64_t>(int64_t{high} - low + 1)));
  }
  std::string Pick(std::initializer_list<const char*> texts) { return *(texts.begin() + Below(texts.size())); }
  template <typename T>
  T PickOf(std::initializer_list<T> values) {
    return *(values.begin() + Below(values.size()));
  }
  template <typename T>
  const T& OneOf(const std::vector<T>& values) {
    return values[Below(values.size())];
  }
  template <typename T>
  void Shuffle(std::vector<T>& values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[Below(i)]);
  }

 private:
  Rng rng_;
};

}  // namespace berth::conformance
