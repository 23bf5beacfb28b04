// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// The inner loops over the nodes' resource columns. They hold no branches in their bodies, so that the compiler turns
// them into vector code; each is compiled for several instruction sets and the best one is picked at run time.
namespace berth::plugins::node_resources {

// Node counts are worked on in blocks as long as a word of a Bitset.
inline constexpr size_t kBlock = 64;

// For one resource and up to kBlock nodes: sets `bit` in keys[i] where `request` exceeds what is free, and `hopeless`
// where it exceeds even the empty node.
void MarkInsufficient(const int64_t* allocatable, const int64_t* requested, size_t nodes, int64_t request, uint16_t bit,
                      uint16_t hopeless, uint16_t* keys);

// Bit i is set where keys[i] is not zero.
uint64_t NonZero(const uint16_t* keys, size_t nodes);

// One resource as it takes part in scoring: what nodes have, what is taken, what the pod would add.
struct ScoredColumn {
  const int64_t* allocatable = nullptr;
  const int64_t* taken = nullptr;
  int64_t request = 0;
  int64_t weight = 1;
};

// The kernels compute quotients in double precision. Below this amount their truncation equals that of integer
// division.
inline constexpr int64_t kExactLimit = int64_t{1} << 46;

// Average over the columns, by weight, of the free (or taken) share in percent after the pod came; columns where a node
// has none do not count. Says false, leaving `scores` half written, when an amount is beyond kExactLimit.
bool LeastAllocated(std::span<const ScoredColumn> columns, size_t nodes, int64_t* scores);
bool MostAllocated(std::span<const ScoredColumn> columns, size_t nodes, int64_t* scores);

// Two resources: how much nearer the shares of both come to each other through the pod, 50..100. Says false like the
// others.
bool BalancedPair(const ScoredColumn& a, const ScoredColumn& b, size_t nodes, int64_t* scores);

}  // namespace berth::plugins::node_resources
