// SPDX-License-Identifier: Apache-2.0
#include "home/store_home.h"

#include "base/thread_name.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::home {

StoreHome::StoreHome(store::Store& store, const Clock& clock, StoreHomeOptions options)
    : store_(store),
      clock_(clock),
      options_(std::move(options)),
      leases_(store),
      commands_(store, clock, options_.host, options_.max_batch) {}

StoreHome::~StoreHome() { Stop(); }

Capabilities StoreHome::capabilities() const {
  Capabilities capabilities;
  capabilities.one_revision = true;
  capabilities.fences = true;
  capabilities.batched_bind = true;
  // Commands wait in one line and are taken out of it all at once: many share a transaction.
  capabilities.max_in_flight = 8 * options_.max_batch;
  return capabilities;
}

void StoreHome::Open(HomeListener& listener, std::vector<std::string> kinds) {
  BERTH_CHECK(listener_ == nullptr);
  listener_ = &listener;
  feed_ = std::make_unique<StoreFeed>(store_, clock_, listener, std::move(kinds), options_.keep_documents);
}

void StoreHome::Start() {
  feed_thread_ = std::jthread([this](const std::stop_token& stop) { RunFeed(stop); });
  command_thread_ = std::jthread([this](const std::stop_token& stop) { RunCommands(stop); });
}

bool StoreHome::Stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  arrived_.NotifyAll();
  command_thread_.request_stop();
  if (command_thread_.joinable()) command_thread_.join();
  feed_thread_.request_stop();
  if (feed_ != nullptr) feed_->Close();
  if (feed_thread_.joinable()) feed_thread_.join();
  return true;
}

// Bindings are settled before the lease goes to another; what else waits is for the next leader to decide anew.
void StoreHome::FinishBindings() {
  std::vector<Completion> answers;
  {
    const MutexLock lock(mutex_);
    std::erase_if(waiting_, [&](const Submission& submission) {
      if (std::holds_alternative<BindPod>(submission.command)) return false;
      answers.push_back({submission.ticket, Outcome::NotDone, {}, "the scheduler is shutting down", {}});
      return true;
    });
  }
  if (!answers.empty()) listener_->TakeCompletions(answers);
  PumpCommands();
}

void StoreHome::Submit(std::vector<Submission>& commands) {
  if (commands.empty()) return;
  bool was_idle = false;
  {
    const MutexLock lock(mutex_);
    was_idle = waiting_.empty();
    waiting_.insert(waiting_.end(), std::make_move_iterator(commands.begin()), std::make_move_iterator(commands.end()));
  }
  commands.clear();
  if (was_idle) arrived_.NotifyOne();
}

bool StoreHome::PumpCommands() {
  {
    const MutexLock lock(mutex_);
    std::swap(in_hand_, waiting_);
  }
  if (in_hand_.empty()) return false;
  commands_.Carry(in_hand_, answers_);
  listener_->TakeCompletions(answers_);
  answers_.clear();
  return true;
}

std::optional<Timestamp> StoreHome::NextDue() const {
  {
    const MutexLock lock(mutex_);
    if (!waiting_.empty()) return Timestamp::min();
  }
  return feed_->retry_at();
}

void StoreHome::RunFeed(const std::stop_token& stop) {
  NameThread("berth-feed");
  while (!stop.stop_requested()) {
    if (feed_->Pump(options_.patience)) continue;
    const std::optional<Timestamp> retry_at = feed_->retry_at();
    if (!retry_at) continue;
    // In short sleeps, so that neither a clock that jumps nor a stop is noticed late.
    const Duration pause = std::max(Duration(0), *retry_at - clock_.Now());
    std::this_thread::sleep_for(std::min<Duration>(pause, std::chrono::milliseconds(20)));
  }
}

void StoreHome::RunCommands(const std::stop_token& stop) {
  NameThread("berth-writer");
  while (true) {
    {
      const MutexLock lock(mutex_);
      while (waiting_.empty() && !stopping_) arrived_.Wait(mutex_);
      if (stopping_) break;
    }
    // Waiting a moment fills the transaction: the store, the watch and the engine then wake once for many pods.
    if (!stop.stop_requested()) std::this_thread::sleep_for(options_.gathering);
    PumpCommands();
  }
  FinishBindings();
}

}  // namespace berth::home
