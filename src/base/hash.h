// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace berth {

inline constexpr uint64_t kFnvStart = 0xcbf29ce484222325U;

// FNV-1a of the text, continuing from `hash`. The same on every machine, so it may be persisted or seed an Rng.
inline uint64_t Fnv1a(std::string_view text, uint64_t hash = kFnvStart) {
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return hash;
}

// Combines the hashes of parts into one; order matters.
inline uint64_t MixHash(uint64_t hash, uint64_t part) {
  hash ^= part + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdU;
}

}  // namespace berth
