// SPDX-License-Identifier: Apache-2.0
#include "scheduler/work_pool.h"

#include "base/thread_name.h"

#include <utility>

namespace berth::scheduler {

using framework::Status;

WorkPool::WorkPool(Inbox& inbox, size_t threads) : inbox_(inbox) {
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { RunThread(); });
}

WorkPool::~WorkPool() { Close(); }

void WorkPool::Start(Work work) {
  {
    const MutexLock lock(mutex_);
    if (!closed_) {
      waiting_.push_back(std::move(work));
      arrived_.NotifyOne();
      return;
    }
  }
  Cancel(work);
}

bool WorkPool::Pump() {
  Work work;
  {
    const MutexLock lock(mutex_);
    if (waiting_.empty()) return false;
    work = std::move(waiting_.front());
    waiting_.pop_front();
  }
  Status status = work.run(work.stop);
  inbox_.Post(WorkDone{std::move(work.pod_uid), work.ticket, std::move(status)});
  return true;
}

void WorkPool::RunThread() {
  NameThread("berth-work");
  while (true) {
    if (Pump()) continue;
    const MutexLock lock(mutex_);
    while (waiting_.empty() && !closed_) arrived_.Wait(mutex_);
    if (closed_) return;
  }
}

void WorkPool::Cancel(Work& work) {
  inbox_.Post(WorkDone{std::move(work.pod_uid), work.ticket, Status::FromError("the scheduler is shutting down")});
}

void WorkPool::Close() {
  std::deque<Work> unstarted;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    unstarted.swap(waiting_);
  }
  arrived_.NotifyAll();
  for (Work& work : unstarted) Cancel(work);
  threads_.clear();  // joins
}

}  // namespace berth::scheduler
