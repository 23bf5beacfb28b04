// SPDX-License-Identifier: Apache-2.0
#include "serve/side_thread.h"

#include "base/thread_name.h"

#include <utility>

namespace berth::serve {

SideThread::SideThread() : thread_([this] { Run(); }) {}

SideThread::~SideThread() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void SideThread::Post(std::function<void()> work) {
  const MutexLock lock(mutex_);
  work_.push_back(std::move(work));
  changed_.NotifyAll();
}

void SideThread::Run() {
  NameThread("serve-side");
  while (true) {
    std::function<void()> next;
    {
      const MutexLock lock(mutex_);
      while (work_.empty() && !stopped_) changed_.Wait(mutex_);
      if (stopped_) return;
      next = std::move(work_.front());
      work_.pop_front();
    }
    next();
  }
}

}  // namespace berth::serve
