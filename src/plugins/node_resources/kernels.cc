// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources/kernels.h"

#include "base/kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

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

// Whether all amounts that were ORed into `seen` are in [0, kExactLimit).
inline __attribute__((always_inline)) bool IsExact(int64_t seen) {
  return static_cast<uint64_t>(seen) < static_cast<uint64_t>(kExactLimit);
}

// An amount as a double, without a conversion instruction that older vector units lack: the amount becomes the mantissa
// of 2^52 + amount. Exact below 2^52.
inline __attribute__((always_inline)) double ToDouble(int64_t amount) {
  constexpr int64_t kTwoTo52Bits = 0x4330000000000000;
  return std::bit_cast<double>(amount | kTwoTo52Bits) - 0x1.0p52;
}

// Adds one column's share of a block of nodes. `kLeast` scores what stays free, otherwise what is taken. A capacity is
// a whole number, so max(capacity, 1) and min(capacity, 1) stand in for asking whether it is zero.
template <bool kLeast>
inline __attribute__((always_inline)) int64_t AddShares(const ScoredColumn& column, size_t base, size_t nodes,
                                                        double* __restrict sums, double* __restrict weights) {
  const int64_t* __restrict allocatable = column.allocatable + base;
  const int64_t* __restrict taken = column.taken + base;
  const auto weight = static_cast<double>(column.weight);
  const int64_t request = column.request;
  int64_t seen = 0;
  for (size_t i = 0; i < nodes; ++i) {
    const int64_t wanted_amount = taken[i] + request;
    seen |= allocatable[i] | wanted_amount;
    const double capacity = ToDouble(allocatable[i]);
    const double wanted = ToDouble(wanted_amount);
    const double counted = kLeast ? std::max(capacity - wanted, 0.0) : std::min(wanted, capacity);
    const double share = counted * 100.0 / std::max(capacity, 1.0);
    const double counts = weight * std::min(capacity, 1.0);
    sums[i] += static_cast<double>(static_cast<int32_t>(share)) * counts;
    weights[i] += counts;
  }
  return seen;
}

template <bool kLeast>
inline __attribute__((always_inline)) bool AverageShares(std::span<const ScoredColumn> columns, size_t nodes,
                                                         int64_t* __restrict scores) {
  int64_t seen = 0;
  for (size_t base = 0; base < nodes; base += kBlock) {
    const size_t count = std::min(kBlock, nodes - base);
    double sums[kBlock] = {};
    double weights[kBlock] = {};
    for (const ScoredColumn& column : columns) seen |= AddShares<kLeast>(column, base, count, sums, weights);
    // A sum of weights is a whole number too; where it is zero, so is the sum of shares.
    for (size_t i = 0; i < count; ++i) {
      scores[base + i] = static_cast<int32_t>(sums[i] / std::max(weights[i], 1.0));
    }
  }
  return IsExact(seen);
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
bool BalancedPair(const ScoredColumn& a, const ScoredColumn& b, size_t nodes, int64_t* __restrict scores) {
  const int64_t* __restrict allocatable_a = a.allocatable;
  const int64_t* __restrict allocatable_b = b.allocatable;
  const int64_t* __restrict taken_a = a.taken;
  const int64_t* __restrict taken_b = b.taken;
  const int64_t request_a = a.request;
  const int64_t request_b = b.request;
  int64_t seen = 0;
  for (size_t i = 0; i < nodes; ++i) {
    const int64_t wanted_a = taken_a[i] + request_a;
    const int64_t wanted_b = taken_b[i] + request_b;
    seen |= allocatable_a[i] | allocatable_b[i] | wanted_a | wanted_b;
    const double capacity_a = ToDouble(allocatable_a[i]);
    const double capacity_b = ToDouble(allocatable_b[i]);
    const double divisor_a = std::max(capacity_a, 1.0);
    const double divisor_b = std::max(capacity_b, 1.0);
    // Half the distance is the deviation of two values; it counts only where the node has both resources.
    const double half_if_both = 0.5 * std::min(capacity_a, 1.0) * std::min(capacity_b, 1.0);
    const double with_pod =
        std::abs(std::min(ToDouble(wanted_a) / divisor_a, 1.0) - std::min(ToDouble(wanted_b) / divisor_b, 1.0));
    const double without_pod =
        std::abs(std::min(ToDouble(taken_a[i]) / divisor_a, 1.0) - std::min(ToDouble(taken_b[i]) / divisor_b, 1.0));
    const auto balance_with = static_cast<int32_t>((1 - with_pod * half_if_both) * 100.0);
    const auto balance_without = static_cast<int32_t>((1 - without_pod * half_if_both) * 100.0);
    scores[i] = 50 + static_cast<int32_t>(static_cast<uint32_t>(50 + balance_with - balance_without) / 2);
  }
  return IsExact(seen);
}

}  // namespace berth::plugins::node_resources
