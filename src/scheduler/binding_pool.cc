// SPDX-License-Identifier: Apache-2.0
#include "scheduler/binding_pool.h"

#include "base/thread_name.h"
#include "runtime/pre_bind_run.h"

#include <utility>

namespace berth::scheduler {

using framework::Status;

namespace {

// Runs on this thread what PreBind wants to run elsewhere, and refuses patches.
class InlineWork final : public framework::BindingWork {
 public:
  explicit InlineWork(std::stop_token stop) : stop_(std::move(stop)) {}

  framework::WorkTicket Patch(framework::ObjectPatch) override {
    answers_.emplace_back(Error{ErrorCode::Unavailable, "objects cannot be patched here"});
    return static_cast<framework::WorkTicket>(answers_.size());
  }
  framework::WorkTicket RunElsewhere(std::function<Status(const std::stop_token& stop)> work) override {
    const Status status = work(stop_);
    answers_.push_back(status.ok() ? Result<std::string>(std::string()) : Error{ErrorCode::Internal, status.Message()});
    return static_cast<framework::WorkTicket>(answers_.size());
  }

  Status Drive(runtime::PreBindRun& run, runtime::PreBindRun::Outcome outcome) {
    for (size_t told = 0; !outcome && told < answers_.size(); ++told) {
      const Result<std::string> answer = answers_[told];
      outcome = run.Answer(static_cast<framework::WorkTicket>(told + 1), answer);
    }
    return outcome.value_or(Status::FromError("nothing is left that PreBind could wait for"));
  }

 private:
  std::stop_token stop_;
  std::vector<Result<std::string>> answers_;  // by ticket, which count from 1
};

}  // namespace

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
    runtime::PreBindRun run;
    InlineWork work(attempt.stop.get_token());
    status = work.Drive(run, run.Start(profile, attempt.state, *attempt.pod, attempt.node, attempt.pre_bind, work));
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
