// SPDX-License-Identifier: Apache-2.0
#include "base/worker_pool.h"

#include "base/check.h"

#include <algorithm>

namespace berth {

WorkerPool::WorkerPool(size_t threads) {
  for (size_t i = 1; i < threads; ++i) workers_.emplace_back([this] { Serve(); });
}

WorkerPool::~WorkerPool() {
  {
    const MutexLock lock(mutex_);
    closes_ = true;
  }
  offered_.NotifyAll();
  for (std::thread& worker : workers_) worker.join();
}

void WorkerPool::Run(const Loop& loop) {
  BERTH_CHECK(loop.chunk > 0);
  if (workers_.empty() || loop.count <= loop.chunk) {
    for (size_t begin = 0; begin < loop.count; begin += loop.chunk) {
      loop.call(loop.work, begin, std::min(begin + loop.chunk, loop.count));
    }
    return;
  }
  {
    const MutexLock lock(mutex_);
    BERTH_CHECK(!is_open_ && taking_part_ == 0);  // one loop at a time
    loop_ = loop;
    next_.store(0, std::memory_order_relaxed);
    is_open_ = true;
    ++loops_;
  }
  offered_.NotifyAll();
  TakePart(loop);
  const MutexLock lock(mutex_);
  is_open_ = false;  // a thread that wakes up only now does not join
  while (taking_part_ > 0) finished_.Wait(mutex_);
}

void WorkerPool::Serve() {
  uint64_t joined = 0;
  while (true) {
    Loop loop;
    {
      const MutexLock lock(mutex_);
      while (!closes_ && (!is_open_ || joined == loops_)) offered_.Wait(mutex_);
      if (closes_) return;
      joined = loops_;
      ++taking_part_;
      loop = loop_;
    }
    TakePart(loop);
    const MutexLock lock(mutex_);
    --taking_part_;
    if (taking_part_ == 0) finished_.NotifyOne();
  }
}

void WorkerPool::TakePart(const Loop& loop) {
  while (true) {
    const size_t begin = next_.fetch_add(loop.chunk, std::memory_order_relaxed);
    if (begin >= loop.count) return;
    loop.call(loop.work, begin, std::min(begin + loop.chunk, loop.count));
  }
}

}  // namespace berth
