// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "scheduler/attempt.h"
#include "scheduler/inbox.h"
#include "scheduler/outbox.h"

#include <deque>
#include <thread>
#include <vector>

namespace berth::scheduler {

// Takes pods from their decision to their node, beside the engine: PreBind, Bind, PostBind. A pod whose binding is
// nothing but a write goes straight to the outbox, where it shares a transaction with others; only what may wait runs
// on the pool's threads.
//
// Start is the engine's; everything else is for whoever owns the pool. Without threads, Pump does the work.
class BindingPool {
 public:
  BindingPool(Outbox& outbox, Inbox& inbox, size_t threads);
  ~BindingPool();
  BindingPool(const BindingPool&) = delete;
  BindingPool& operator=(const BindingPool&) = delete;

  // Answered by BindingFinished, exactly once.
  void Start(Attempt& attempt) BERTH_EXCLUDES(mutex_);
  // Does one waiting piece of work; says whether there was any.
  bool Pump() BERTH_EXCLUDES(mutex_);
  // Ends the threads. What has not begun is answered as cancelled; PreBind plugins that wait are asked to stop by
  // whoever owns the attempts.
  void Close() BERTH_EXCLUDES(mutex_);

 private:
  void Work(const std::stop_token& stop);
  void Run(Attempt& attempt);

  Outbox& outbox_;
  Inbox& inbox_;
  Mutex mutex_;
  CondVar arrived_;
  std::deque<Attempt*> waiting_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;
};

}  // namespace berth::scheduler
