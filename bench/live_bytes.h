// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::bench {

// Bytes the program holds through operator new, allocator overhead included, and how often it has allocated.
// Linking live_bytes.cc replaces the global operators.
int64_t LiveBytes();
uint64_t Allocations();

}  // namespace berth::bench
