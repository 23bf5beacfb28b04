// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace berth {

// A fixed number of threads that help their owner run loops over many items.
//
// One thread at a time owns the pool and calls ParallelFor; work must not call it again. The pool's threads live as
// long as the pool and run nothing else. Its one lock guards the hand-over between owner and threads; it is never held
// while work runs, and no other lock is taken under it.
class WorkerPool {
 public:
  // `threads` includes the owner: 0 and 1 start none, and all work runs inline.
  explicit WorkerPool(size_t threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  size_t threads() const { return workers_.size() + 1; }

  // Calls work(begin, end) for every `chunk` items of [0, count), on several threads at once, and returns when all are
  // done. The chunks do not depend on the number of threads, only their order does: if each writes only to locations of
  // its own, the result is the same. Allocates nothing.
  template <typename F>
  void ParallelFor(size_t count, size_t chunk, F&& work) BERTH_EXCLUDES(mutex_) {
    using Work = std::remove_reference_t<F>;
    Run({count, chunk, const_cast<void*>(static_cast<const void*>(&work)),
         [](void* borrowed, size_t begin, size_t end) { (*static_cast<Work*>(borrowed))(begin, end); }});
  }

 private:
  struct Loop {
    size_t count = 0;
    size_t chunk = 1;
    void* work = nullptr;
    void (*call)(void* work, size_t begin, size_t end) = nullptr;
  };

  void Run(const Loop& loop) BERTH_EXCLUDES(mutex_);
  void Serve() BERTH_EXCLUDES(mutex_);
  // Runs chunks until none is left.
  void TakePart(const Loop& loop);

  Mutex mutex_;
  CondVar offered_;   // a loop was offered, or the pool closes
  CondVar finished_;  // the last thread has left the loop
  Loop loop_ BERTH_GUARDED_BY(mutex_);
  bool is_open_ BERTH_GUARDED_BY(mutex_) = false;  // threads may still join the loop
  uint64_t loops_ BERTH_GUARDED_BY(mutex_) = 0;    // offered so far: a thread joins each loop once
  size_t taking_part_ BERTH_GUARDED_BY(mutex_) = 0;
  bool closes_ BERTH_GUARDED_BY(mutex_) = false;
  std::atomic<size_t> next_{0};  // the first item not yet taken; reset while no thread takes part
  std::vector<std::thread> workers_;
};

}  // namespace berth
