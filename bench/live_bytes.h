// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::bench {

// Bytes currently allocated through operator new, including allocator overhead, and the number of allocations so far.
// Linking live_bytes.cc replaces the global operators.
int64_t LiveBytes();
uint64_t Allocations();

}  // namespace berth::bench
