// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/thread_name.h"

#include <deque>
#include <functional>
#include <thread>
#include <utility>

namespace berth::plugin_host {

// Does one piece of work after the other on a thread of its own, which begins with the first. What has not begun when
// this ends is left undone.
class SideWork {
 public:
  SideWork() = default;
  ~SideWork() {
    {
      const MutexLock lock(mutex_);
      closed_ = true;
    }
    arrived_.NotifyAll();
    if (thread_.joinable()) thread_.join();
  }
  SideWork(const SideWork&) = delete;
  SideWork& operator=(const SideWork&) = delete;

  // One thread adds.
  void Add(std::function<void()> work) BERTH_EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      waiting_.push_back(std::move(work));
    }
    if (!thread_.joinable()) thread_ = std::jthread([this] { Run(); });
    arrived_.NotifyOne();
  }

 private:
  void Run() BERTH_EXCLUDES(mutex_) {
    NameThread("berth-side");
    while (true) {
      std::function<void()> work;
      {
        const MutexLock lock(mutex_);
        while (waiting_.empty() && !closed_) arrived_.Wait(mutex_);
        if (closed_) return;
        work = std::move(waiting_.front());
        waiting_.pop_front();
      }
      work();
    }
  }

  Mutex mutex_;
  CondVar arrived_;
  std::deque<std::function<void()>> waiting_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace berth::plugin_host
