// SPDX-License-Identifier: Apache-2.0
#include "base/worker_pool.h"

#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(WorkerPool, DoesEveryItemOnceWhateverTheNumberOfThreads) {
  for (const size_t threads : {0U, 1U, 2U, 4U}) {
    WorkerPool pool(threads);
    for (const size_t count : {0U, 1U, 7U, 64U, 1000U}) {
      for (const size_t chunk : {1U, 7U, 64U}) {
        std::vector<int> done(count, 0);
        pool.ParallelFor(count, chunk, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i) ++done[i];
        });
        EXPECT_EQ(done, std::vector<int>(count, 1)) << threads << " threads, " << count << " by " << chunk;
      }
    }
  }
}

TEST(WorkerPool, CutsTheSamePiecesForAnyNumberOfThreads) {
  using Pieces = std::set<std::pair<size_t, size_t>>;
  const Pieces expected = {{0, 30}, {30, 60}, {60, 90}, {90, 100}};
  for (const size_t threads : {1U, 2U, 4U}) {
    WorkerPool pool(threads);
    Mutex mutex;
    Pieces pieces;
    pool.ParallelFor(100, 30, [&](size_t begin, size_t end) {
      const MutexLock lock(mutex);
      pieces.emplace(begin, end);
    });
    EXPECT_EQ(pieces, expected);
  }
}

TEST(WorkerPool, CountsItsOwner) {
  EXPECT_EQ(WorkerPool(0).threads(), 1U);
  EXPECT_EQ(WorkerPool(1).threads(), 1U);
  EXPECT_EQ(WorkerPool(4).threads(), 4U);
}

TEST(WorkerPool, LendsItsThreads) {
  // Each of the two chunks waits for the other, so they can finish only if two threads run them.
  WorkerPool pool(2);
  Mutex mutex;
  CondVar arrived;
  int here = 0;
  pool.ParallelFor(2, 1, [&](size_t, size_t) {
    const MutexLock lock(mutex);
    ++here;
    arrived.NotifyAll();
    while (here < 2) arrived.Wait(mutex);
  });
  EXPECT_EQ(here, 2);
}

TEST(WorkerPool, SeesWhatTheWorkHasWritten) {
  WorkerPool pool(4);
  std::vector<size_t> values(512);
  for (size_t round = 1; round <= 200; ++round) {
    pool.ParallelFor(values.size(), 16, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) values[i] += 1;
    });
    ASSERT_EQ(std::accumulate(values.begin(), values.end(), size_t{0}), round * values.size());
  }
}

}  // namespace
}  // namespace berth
