// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/thread_annotations.h"

#include <deque>
#include <functional>
#include <thread>

namespace berth::serve {

// Does one thing after the other that would keep the serving thread from answering probes. Any thread.
class SideThread {
 public:
  SideThread();
  // Finishes what it is at, and drops the rest.
  ~SideThread();
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  void Post(std::function<void()> work) BERTH_EXCLUDES(mutex_);

 private:
  void Run() BERTH_EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::deque<std::function<void()>> work_ BERTH_GUARDED_BY(mutex_);
  bool stopped_ BERTH_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace berth::serve
