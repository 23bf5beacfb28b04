// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "framework/binding_work.h"
#include "framework/status.h"
#include "scheduler/inbox.h"

#include <deque>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace berth::scheduler {

// Runs what plugins may block on: PostBind, and work that PreBind and Bind plugins send here. Waiting for an event or
// for an answer needs no thread: see framework/binding_work.h. Without threads, Pump does the work.
//
// Start is the engine's; everything else is for whoever owns the pool.
class WorkPool {
 public:
  struct Work {
    std::string pod_uid;
    framework::WorkTicket ticket = 0;
    std::stop_token stop;
    std::function<framework::Status(const std::stop_token& stop)> run;
  };

  WorkPool(Inbox& inbox, size_t threads);
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // Answered by WorkDone, exactly once.
  void Start(Work work) BERTH_EXCLUDES(mutex_);
  // Does one waiting piece of work; says whether there was any.
  bool Pump() BERTH_EXCLUDES(mutex_);
  // Ends the threads. What has not begun is answered as cancelled; what runs is asked to stop by whoever owns the
  // attempts.
  void Close() BERTH_EXCLUDES(mutex_);

 private:
  void RunThread();
  void Cancel(Work& work);

  Inbox& inbox_;
  Mutex mutex_;
  CondVar arrived_;
  std::deque<Work> waiting_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;
};

}  // namespace berth::scheduler
