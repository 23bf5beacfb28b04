// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources/kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

// Sanitizers cannot follow the run-time choice between clones.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && defined(NDEBUG)
#define BERTH_KERNEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define BERTH_KERNEL
#endif

namespace berth::plugins::node_resources {

BERTH_KERNEL
void MarkInsufficient(const int64_t* __restrict allocatable, const int64_t* __restrict requested, size_t nodes,
                      int64_t request, uint16_t bit, uint16_t hopeless, uint16_t* __restrict keys) {
  for (size_t i = 0; i < nodes; ++i) {
    const int64_t free = allocatable[i] - requested[i];
    const auto short_of = static_cast<uint16_t>(request > free ? bit : 0);
    const auto never = static_cast<uint16_t>(request > allocatable[i] ? hopeless : 0);
    keys[i] = static_cast<uint16_t>(keys[i] | short_of | never);
  }
}

uint64_t NonZero(const uint16_t* keys, size_t nodes) {
  uint8_t set[kBlock] = {};
  for (size_t i = 0; i < nodes; ++i) set[i] = keys[i] != 0 ? 1 : 0;
  uint64_t word = 0;
  for (size_t byte = 0; byte < kBlock / 8; ++byte) {
    uint64_t eight = 0;
    std::memcpy(&eight, set + byte * 8, 8);
    // The product gathers the low bits of eight bytes in its top byte.
    word |= ((eight * 0x0102040810204080U) >> 56U) << (byte * 8);
  }
  return word;
}

namespace {

// Whether dividing by `weights` can be done by an exact multiplication.
bool IsPowerOfTwo(int64_t weights) { return std::has_single_bit(static_cast<uint64_t>(weights)); }

// Adds one column's share of a block of nodes. `kLeast` scores what stays free, otherwise what is taken.
template <bool kLeast>
inline __attribute__((always_inline)) int64_t AddShares(const ScoredColumn& column, size_t base, size_t nodes,
                                                        double* __restrict sums, double* __restrict weights) {
  const int64_t* __restrict allocatable = column.allocatable + base;
  const int64_t* __restrict taken = column.taken + base;
  const auto weight = static_cast<double>(column.weight);
  const int64_t request = column.request;
  int64_t seen = 0;
  for (size_t i = 0; i < nodes; ++i) {
    const int64_t capacity = allocatable[i];
    const int64_t wanted = taken[i] + request;
    seen |= capacity | wanted;
    const int64_t counted =
        kLeast ? (wanted > capacity ? 0 : capacity - wanted) : (wanted > capacity ? capacity : wanted);
    const double share = static_cast<double>(counted) * 100.0 / static_cast<double>(capacity == 0 ? 1 : capacity);
    const double whole = static_cast<double>(static_cast<int32_t>(share));
    const double counts = capacity == 0 ? 0.0 : weight;
    sums[i] += whole * counts;
    weights[i] += counts;
  }
  return seen;
}

template <bool kLeast>
inline __attribute__((always_inline)) bool AverageShares(std::span<const ScoredColumn> columns, size_t nodes,
                                                         int64_t* __restrict scores) {
  int64_t total_weight = 0;
  for (const ScoredColumn& column : columns) total_weight += column.weight;
  const bool by_multiplication = IsPowerOfTwo(total_weight);
  const double inverse = 1.0 / static_cast<double>(total_weight);
  const auto full = static_cast<double>(total_weight);
  int64_t seen = 0;
  for (size_t base = 0; base < nodes; base += kBlock) {
    const size_t count = std::min(kBlock, nodes - base);
    double sums[kBlock] = {};
    double weights[kBlock] = {};
    for (const ScoredColumn& column : columns) seen |= AddShares<kLeast>(column, base, count, sums, weights);
    double lightest = full;
    for (size_t i = 0; i < count; ++i) lightest = std::min(lightest, weights[i]);
    if (by_multiplication && lightest == full) {
      for (size_t i = 0; i < count; ++i) scores[base + i] = static_cast<int32_t>(sums[i] * inverse);
    } else {
      for (size_t i = 0; i < count; ++i) {
        scores[base + i] = static_cast<int32_t>(sums[i] / (weights[i] == 0.0 ? 1.0 : weights[i]));
      }
    }
  }
  // Any bit at or above the limit, the sign included, shows in the union.
  return static_cast<uint64_t>(seen) < static_cast<uint64_t>(kExactLimit);
}

// The balance of a node whose two resources are taken by these shares, 50..100.
inline __attribute__((always_inline)) int32_t Balance(double a, double b, bool both) {
  const double capped_a = a > 1.0 ? 1.0 : a;
  const double capped_b = b > 1.0 ? 1.0 : b;
  const double deviation = both ? std::abs((capped_a - capped_b) / 2) : 0.0;
  return static_cast<int32_t>((1 - deviation) * 100.0);
}

}  // namespace

BERTH_KERNEL
bool LeastAllocated(std::span<const ScoredColumn> columns, size_t nodes, int64_t* scores) {
  return AverageShares<true>(columns, nodes, scores);
}

BERTH_KERNEL
bool MostAllocated(std::span<const ScoredColumn> columns, size_t nodes, int64_t* scores) {
  return AverageShares<false>(columns, nodes, scores);
}

BERTH_KERNEL
void BalancedPair(const ScoredColumn& a, const ScoredColumn& b, size_t nodes, int64_t* __restrict scores) {
  const int64_t* __restrict allocatable_a = a.allocatable;
  const int64_t* __restrict allocatable_b = b.allocatable;
  const int64_t* __restrict taken_a = a.taken;
  const int64_t* __restrict taken_b = b.taken;
  const int64_t request_a = a.request;
  const int64_t request_b = b.request;
  for (size_t i = 0; i < nodes; ++i) {
    const bool both = (allocatable_a[i] != 0) & (allocatable_b[i] != 0);
    const auto capacity_a = static_cast<double>(both ? allocatable_a[i] : 1);
    const auto capacity_b = static_cast<double>(both ? allocatable_b[i] : 1);
    const int32_t with_pod = Balance(static_cast<double>(taken_a[i] + request_a) / capacity_a,
                                     static_cast<double>(taken_b[i] + request_b) / capacity_b, both);
    const int32_t without_pod =
        Balance(static_cast<double>(taken_a[i]) / capacity_a, static_cast<double>(taken_b[i]) / capacity_b, both);
    scores[i] = 50 + (50 + with_pod - without_pod) / 2;
  }
}

}  // namespace berth::plugins::node_resources
