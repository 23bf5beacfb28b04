// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/thread_annotations.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace berth {

// std::mutex, annotated for clang's thread safety analysis. Any thread; not recursive.
class BERTH_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() BERTH_ACQUIRE() { mutex_.lock(); }
  bool TryLock() BERTH_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void Unlock() BERTH_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds a mutex for its own lifetime.
class BERTH_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) BERTH_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() BERTH_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// A condition variable. The mutex is released during a wait and held again afterwards. Waits may wake spuriously, and
// the analysis does not look into a lambda, so callers loop:
//   MutexLock lock(mutex_);
//   while (!ready_) changed_.Wait(mutex_);
class CondVar {
 public:
  CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  void Wait(Mutex& mutex) BERTH_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // Returns false when `deadline` has passed.
  bool WaitUntil(Mutex& mutex, std::chrono::steady_clock::time_point deadline) BERTH_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const bool woken = condition_.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return woken;
  }
  bool WaitFor(Mutex& mutex, std::chrono::nanoseconds timeout) BERTH_REQUIRES(mutex) {
    return WaitUntil(mutex, std::chrono::steady_clock::now() + timeout);
  }

  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace berth
