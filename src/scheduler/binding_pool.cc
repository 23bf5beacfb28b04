// SPDX-License-Identifier: Apache-2.0
#include "scheduler/binding_pool.h"

#include "base/thread_name.h"

#include <utility>

namespace berth::scheduler {

using framework::Status;

BindingPool::BindingPool(Outbox& outbox, Inbox& inbox, size_t threads) : outbox_(outbox), inbox_(inbox) {
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
  }
}

BindingPool::~BindingPool() { Close(); }

void BindingPool::Start(Attempt& attempt) {
  if (!attempt.has_pre_bind && attempt.profile->BindsThroughWriter()) {
    outbox_.Bind(attempt);
    return;
  }
  {
    const MutexLock lock(mutex_);
    if (!closed_) {
      waiting_.push_back(&attempt);
      arrived_.NotifyOne();
      return;
    }
  }
  inbox_.Post(BindingFinished{&attempt, Status::FromError("the scheduler is shutting down")});
}

bool BindingPool::Pump() {
  Attempt* attempt = nullptr;
  {
    const MutexLock lock(mutex_);
    if (waiting_.empty()) return false;
    attempt = waiting_.front();
    waiting_.pop_front();
  }
  Run(*attempt);
  return true;
}

void BindingPool::Work(const std::stop_token& stop) {
  NameThread("berth-binding");
  while (!stop.stop_requested()) {
    if (Pump()) continue;
    const MutexLock lock(mutex_);
    while (waiting_.empty() && !closed_) arrived_.Wait(mutex_);
    if (closed_) return;
  }
}

void BindingPool::Run(Attempt& attempt) {
  const runtime::Profile& profile = *attempt.profile;
  Status status;
  if (attempt.has_pre_bind) {
    status = profile.RunPreBind(attempt.state, *attempt.pod, attempt.node, attempt.pre_bind, attempt.stop.get_token());
    if (status.ok() && profile.BindsThroughWriter()) {
      outbox_.Bind(attempt);
      return;
    }
  }
  if (status.ok()) status = profile.RunBind(attempt.state, *attempt.pod, attempt.node);
  if (status.is_skip()) status = Status::FromError("every Bind plugin skipped the pod");
  if (status.ok()) {
    profile.RunPostBind(attempt.state, *attempt.pod, attempt.node);
  } else {
    attempt.needs_post_bind = true;
    if (outbox_.SettleUnknown(attempt)) return;
  }
  inbox_.Post(BindingFinished{&attempt, std::move(status)});
}

void BindingPool::Close() {
  std::deque<Attempt*> unstarted;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    unstarted.swap(waiting_);
  }
  arrived_.NotifyAll();
  for (Attempt* attempt : unstarted) {
    inbox_.Post(BindingFinished{attempt, Status::FromError("the scheduler is shutting down")});
  }
  threads_.clear();  // joins
}

}  // namespace berth::scheduler
