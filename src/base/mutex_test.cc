// SPDX-License-Identifier: Apache-2.0
#include "base/mutex.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace berth {
namespace {

struct Counter {
  Mutex mutex;
  CondVar changed;
  int value BERTH_GUARDED_BY(mutex) = 0;
};

TEST(Mutex, KeepsThreadsApart) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) {
        const MutexLock lock(counter.mutex);
        ++counter.value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const MutexLock lock(counter.mutex);
  EXPECT_EQ(counter.value, 40'000);
}

TEST(Mutex, IsNotTakenTwice) {
  Mutex mutex;
  const MutexLock lock(mutex);
  std::thread([&] {
    const bool taken = mutex.TryLock();
    EXPECT_FALSE(taken);
    if (taken) mutex.Unlock();
  }).join();
}

TEST(CondVar, HandsOverBetweenTwoThreads) {
  Counter counter;
  std::thread other([&] {
    for (int turn = 1; turn < 100; turn += 2) {
      const MutexLock lock(counter.mutex);
      while (counter.value != turn) counter.changed.Wait(counter.mutex);
      ++counter.value;
      counter.changed.NotifyAll();
    }
  });
  for (int turn = 0; turn < 100; turn += 2) {
    const MutexLock lock(counter.mutex);
    while (counter.value != turn) counter.changed.Wait(counter.mutex);
    ++counter.value;
    counter.changed.NotifyAll();
  }
  other.join();
  const MutexLock lock(counter.mutex);
  EXPECT_EQ(counter.value, 100);
}

TEST(CondVar, HoldsTheMutexAgainAfterItsTimeIsUp) {
  Counter counter;
  const MutexLock lock(counter.mutex);
  while (counter.changed.WaitFor(counter.mutex, std::chrono::nanoseconds(1))) {
  }
  std::thread([&] {
    const bool taken = counter.mutex.TryLock();
    EXPECT_FALSE(taken);
    if (taken) counter.mutex.Unlock();
  }).join();
}

}  // namespace
}  // namespace berth
