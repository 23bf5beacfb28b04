// SPDX-License-Identifier: Apache-2.0
#include "live_bytes.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

// malloc keeps a word in front of every block.
constexpr int64_t kHeader = 8;
std::atomic<int64_t> g_live{0};
std::atomic<uint64_t> g_allocations{0};

void* Allocate(size_t size) {
  void* block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  g_live.fetch_add(static_cast<int64_t>(malloc_usable_size(block)) + kHeader, std::memory_order_relaxed);
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void Free(void* block) {
  if (block == nullptr) return;
  g_live.fetch_sub(static_cast<int64_t>(malloc_usable_size(block)) + kHeader, std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* block) noexcept { Free(block); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete(void* block, size_t) noexcept { Free(block); }
void operator delete[](void* block, size_t) noexcept { Free(block); }

namespace berth::bench {

int64_t LiveBytes() { return g_live.load(std::memory_order_relaxed); }
uint64_t Allocations() { return g_allocations.load(std::memory_order_relaxed); }

}  // namespace berth::bench
