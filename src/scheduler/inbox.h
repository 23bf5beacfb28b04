// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "framework/binding_work.h"
#include "framework/status.h"
#include "home/home.h"
#include "scheduler/extender_questions.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace berth::scheduler {

// Everything the store held when the scheduler started has been handed over: pods may be scheduled.
struct Synced {};
// A pod that waited at Permit has its verdict.
struct PermitResolved {
  std::string uid;
};
// Work that ran beside the engine for a pod on its way has ended.
struct WorkDone {
  std::string pod_uid;
  framework::WorkTicket ticket = 0;
  framework::Status status;
};
// What a plugin awaited for a pod on its way, from another process, has come.
struct WorkAnswered {
  std::string pod_uid;
  uint64_t attempt = 0;  // its number: an answer to one that is over is dropped
  framework::WorkTicket ticket = 0;
  Result<std::string> answer;
};
// A plugin or an operator asks that these pods be tried now.
struct ActivateRequest {
  std::vector<std::string> uids;
};

// The extenders that a cycle waits for have answered. Large, so it lies elsewhere.
struct ExtendersSaid {
  uint64_t number = 0;  // of the consultation
  std::variant<NodesSay, VictimsSay> said;
};
using ExtendersAnswer = std::unique_ptr<ExtendersSaid>;

// A plugin on another thread has something to tell users. Rare and large, so it lies elsewhere.
using RecordRequest = std::unique_ptr<home::EventNote>;

using Message = std::variant<home::ObjectChange, Synced, PermitResolved, home::Completion, WorkDone, WorkAnswered,
                             ActivateRequest, RecordRequest, ExtendersAnswer, home::FeedProblem>;

// What other threads tell the engine, in the order of arrival. Two buffers take turns: writers fill one while the
// engine works through the other.
//
// Thread-safe: any thread posts, the engine takes. Only changes are bounded: they come from a store that can wait.
class Inbox final : public home::HomeListener {
 public:
  // Who fills and empties it on one thread can wait for nobody, and has no bound.
  static constexpr size_t kUnbounded = std::numeric_limits<size_t>::max();
  static constexpr size_t kMaxChanges = 65'536;
  explicit Inbox(size_t max_changes = kMaxChanges) : max_changes_(max_changes) {}

  // home::HomeListener. Changes are handed over all or none, waiting while too many are unread.
  bool TakeChanges(std::vector<home::ObjectChange>& changes) override BERTH_EXCLUDES(mutex_);
  void Synced() override { Post(scheduler::Synced{}); }
  void TakeCompletions(std::vector<home::Completion>& completions) override BERTH_EXCLUDES(mutex_);
  void TakeProblem(home::FeedProblem problem) override { Post(std::move(problem)); }
  void Post(Message message) BERTH_EXCLUDES(mutex_);

  // Moves all unread messages to the end of `messages`; says whether there were any. Costs one load when there are
  // none.
  bool Take(std::vector<Message>& messages) BERTH_EXCLUDES(mutex_);
  // Waits until there is something to take, the deadline, or Close.
  void WaitUntil(std::chrono::steady_clock::time_point deadline) BERTH_EXCLUDES(mutex_);
  // Wakes everybody; nothing is waited for any more.
  void Close() BERTH_EXCLUDES(mutex_);
  void Wake() BERTH_EXCLUDES(mutex_);

 private:
  const size_t max_changes_;
  std::atomic<bool> unread_ = false;
  Mutex mutex_;
  CondVar arrived_;
  CondVar taken_;
  std::vector<Message> messages_ BERTH_GUARDED_BY(mutex_);
  size_t changes_ BERTH_GUARDED_BY(mutex_) = 0;
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
  bool woken_ BERTH_GUARDED_BY(mutex_) = false;
};

}  // namespace berth::scheduler
