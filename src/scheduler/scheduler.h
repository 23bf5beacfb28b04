// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "config/profile_plan.h"
#include "framework/extender.h"
#include "framework/registry.h"
#include "home/home.h"
#include "home/store_home.h"
#include "metrics/scheduler_metrics.h"
#include "scheduler/engine.h"
#include "scheduler/inbox.h"
#include "scheduler/leadership.h"
#include "scheduler/problems.h"
#include "scheduler/work_pool.h"
#include "store/store.h"

#include <array>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace berth::scheduler {

struct SchedulerOptions {
  EngineOptions engine;
  home::StoreHomeOptions store;             // where a home is made of a store
  size_t work_threads = 4;                  // for what plugins block on
  std::optional<LeadershipOptions> leader;  // none: schedule without asking anybody
  bool wait_for_lead = false;               // the home is started only by a leader; a stand-by costs little
};

// The state of a scheduler, for operators.
struct SchedulerStatus {
  bool leads = true;  // also without leader election
  home::FeedStats feeds;
  std::vector<KnownProblem> problems;                       // unsolved or recent, most recent first
  std::array<uint64_t, kProblemKinds> problem_counts = {};  // by ProblemKind, since the start
};

// A whole scheduler over one home. It runs in one of two ways: with threads of its own (Start, Stop), or driven step
// by step by its caller (Pump), which is what a simulation with a virtual clock does. The parts are the same.
//
// Threads when started: the engine's, the home's, leadership's, and the work pool's. Each part's header says what
// belongs to which; no lock of one part is held while another is called, but for Ask's.
class Scheduler {
 public:
  // Everything lent outlives the scheduler. With `threads` false there are none, and Pump does everything. `extenders`
  // may be null.
  static Result<std::unique_ptr<Scheduler>> Create(std::vector<config::ProfilePlan> plans,
                                                   const framework::Registry& registry,
                                                   std::unique_ptr<home::Home> home, const Clock& clock,
                                                   const SchedulerOptions& options, bool threads,
                                                   std::unique_ptr<framework::Extenders> extenders = nullptr);
  // The same over a store.
  static Result<std::unique_ptr<Scheduler>> Create(std::vector<config::ProfilePlan> plans,
                                                   const framework::Registry& registry, store::Store& store,
                                                   const Clock& clock, const SchedulerOptions& options, bool threads,
                                                   std::unique_ptr<framework::Extenders> extenders = nullptr);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Begins, or waits for the lead first if the options say so.
  void Start();
  // Settles the bindings that are under way, gives the lease back, and ends all threads. What else waits is left:
  // whoever schedules next finds those pods without a node, or with one. Idempotent.
  void Stop();
  // Runs `question` on the engine's thread between two cycles, or at once when there is none, and waits for it. Any
  // thread but the engine's, also while the scheduler stops. Without an engine thread it runs under the questions'
  // lock: it must not ask again.
  void Ask(const std::function<void(Engine&)>& question) BERTH_EXCLUDES(questions_mutex_);

  // Any thread.
  SchedulerStatus status() const;
  bool leads() const { return leadership_ == nullptr || leadership_->leads(); }
  // Why the lease could not be taken or renewed when that was tried last; empty: it could, or nobody is asked.
  std::string LastLeaseError() const { return leadership_ == nullptr ? std::string() : leadership_->last_error(); }
  // Everything that was there at the start has been taken in.
  bool synced() const { return std::as_const(*engine_).synced(); }

  // Does whatever can be done now; says whether there was anything. Waits for nothing but answers of other processes.
  // Only without threads.
  bool Pump();
  // Waits until another process that was asked has answered, if one is awaited; says whether one was. Such live in real
  // time: until they have answered, no other time goes by. Only without threads.
  bool AwaitAnswer();
  // When time alone will give Pump something to do.
  std::optional<Timestamp> NextDeadline() const;

  // Engine thread, or the caller's without threads.
  Engine& engine() { return *engine_; }
  const home::Home& home() const { return *home_; }
  const metrics::SchedulerMetrics& metrics() const { return metrics_; }

 private:
  Scheduler(std::unique_ptr<home::Home> home, const Clock& clock, const SchedulerOptions& options, bool threads,
            std::unique_ptr<framework::Extenders> extenders);

  bool PumpEngine();
  // Gives the lead up when the home refused a write because of it.
  void HeedRefusal();
  void AnswerQuestions() BERTH_EXCLUDES(questions_mutex_);
  void RunEngine(const std::stop_token& stop);
  void RunLeadership(const std::stop_token& stop);
  // True for a leader. `seen` is how far the engine has heard, where its home can tell: a new leader first hears
  // everything that the one before has done.
  bool MaySchedule(const home::WriteTerms* terms, store::Revision seen) const;
  std::chrono::steady_clock::time_point DeadlineFor(std::optional<Timestamp> moment) const;

  const Clock& clock_;
  metrics::SchedulerMetrics metrics_;
  Inbox inbox_;
  std::unique_ptr<framework::Extenders> extenders_;  // null: there are none; answer into the inbox
  std::unique_ptr<home::Home> home_;
  WorkPool pool_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Leadership> leadership_;  // null when nobody is asked
  std::vector<Message> messages_;           // engine thread: taken and not handled yet
  bool catches_up_ = false;                 // engine thread: it leads, and has not heard everything yet
  const bool wait_for_lead_;                // before the home is started
  bool home_awake_ = false;                 // engine thread: it has been started since we lead
  bool started_ = false;

  Mutex questions_mutex_;
  std::vector<std::packaged_task<void()>> questions_ BERTH_GUARDED_BY(questions_mutex_);
  bool answers_questions_ BERTH_GUARDED_BY(questions_mutex_) = false;  // the engine's thread does

  std::jthread leadership_thread_;
  std::jthread engine_thread_;
};

}  // namespace berth::scheduler
