// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace berth {

// The only source of randomness in the engine: a splitmix64 stream, the same for the same seed on every machine.
class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  // A number in [0, bound); bound must be positive.
  uint64_t Below(uint64_t bound) { return Next() % bound; }

  // True with the given probability.
  bool Chance(double probability) { return static_cast<double>(Next() >> 11U) * 0x1.0p-53 < probability; }

 private:
  uint64_t state_;
};

}  // namespace berth
