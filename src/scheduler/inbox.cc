// SPDX-License-Identifier: Apache-2.0
#include "scheduler/inbox.h"

#include <iterator>
#include <utility>

namespace berth::scheduler {

bool Inbox::TakeChanges(std::vector<home::ObjectChange>& changes) {
  {
    const MutexLock lock(mutex_);
    while (!closed_ && changes_ != 0 && changes_ + changes.size() > max_changes_) taken_.Wait(mutex_);
    if (closed_) return false;
    changes_ += changes.size();
    for (home::ObjectChange& change : changes) messages_.emplace_back(std::move(change));
    unread_.store(true, std::memory_order_release);
  }
  changes.clear();
  arrived_.NotifyOne();
  return true;
}

void Inbox::TakeCompletions(std::vector<home::Completion>& completions) {
  {
    const MutexLock lock(mutex_);
    messages_.insert(messages_.end(), std::make_move_iterator(completions.begin()),
                     std::make_move_iterator(completions.end()));
    unread_.store(true, std::memory_order_release);
  }
  completions.clear();
  arrived_.NotifyOne();
}

void Inbox::Post(Message message) {
  {
    const MutexLock lock(mutex_);
    messages_.push_back(std::move(message));
    unread_.store(true, std::memory_order_release);
  }
  arrived_.NotifyOne();
}

bool Inbox::Take(std::vector<Message>& messages) {
  if (!unread_.load(std::memory_order_acquire)) return false;
  {
    const MutexLock lock(mutex_);
    unread_.store(false, std::memory_order_relaxed);
    changes_ = 0;
    if (messages.empty()) {
      std::swap(messages, messages_);
    } else {
      std::move(messages_.begin(), messages_.end(), std::back_inserter(messages));
      messages_.clear();
    }
  }
  taken_.NotifyAll();
  return true;
}

void Inbox::WaitUntil(std::chrono::steady_clock::time_point deadline) {
  const MutexLock lock(mutex_);
  while (messages_.empty() && !closed_ && !woken_) {
    if (!arrived_.WaitUntil(mutex_, deadline)) break;
  }
  woken_ = false;
}

void Inbox::Close() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
  }
  arrived_.NotifyAll();
  taken_.NotifyAll();
}

void Inbox::Wake() {
  {
    const MutexLock lock(mutex_);
    woken_ = true;
  }
  arrived_.NotifyAll();
}

}  // namespace berth::scheduler
