// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "config/profile_plan.h"
#include "framework/registry.h"
#include "metrics/scheduler_metrics.h"
#include "scheduler/binding_pool.h"
#include "scheduler/engine.h"
#include "scheduler/inbox.h"
#include "scheduler/intake.h"
#include "scheduler/leadership.h"
#include "scheduler/outbox.h"
#include "store/store.h"

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace berth::scheduler {

struct SchedulerOptions {
  EngineOptions engine;
  OutboxOptions outbox;
  size_t binding_threads = 4;                           // for PreBind and for Bind plugins of users
  Duration gathering = std::chrono::microseconds(300);  // how long writes wait for others to share a transaction with
  std::optional<LeadershipOptions> leader;              // none: schedule without asking anybody
};

// A whole scheduler over one store. It runs in one of two ways: with threads of its own (Start, Stop), or driven step
// by step by its caller (Pump), which is what a simulation with a virtual clock does. The parts are the same.
//
// Threads when started: intake, engine, outbox, leadership, and the binding pool's. Each part's header says what
// belongs to which; no lock of one part is held while another is called,
// but for Ask's.
class Scheduler {
 public:
  // Everything lent outlives the scheduler. With `threads` false the binding pool has none, and Pump does everything.
  static Result<std::unique_ptr<Scheduler>> Create(std::vector<config::ProfilePlan> plans,
                                                   const framework::Registry& registry, store::Store& store,
                                                   const Clock& clock, const SchedulerOptions& options, bool threads);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void Start();
  // Lets bindings that are being written finish, then ends all threads. What waits to be tried again is left: whoever
  // schedules next finds those pods without a node, or with one. Idempotent.
  void Stop();
  // Runs `question` on the engine's thread between two cycles, or at once when there is none, and waits for it. Any
  // thread but the engine's, also while the scheduler stops. Without an engine thread it runs under the questions'
  // lock: it must not ask again.
  void Ask(const std::function<void(Engine&)>& question) BERTH_EXCLUDES(questions_mutex_);

  // Does whatever can be done now without waiting; says whether there was anything. Only without threads.
  bool Pump();
  // When time alone will give Pump something to do.
  std::optional<Timestamp> NextDeadline() const;

  // Engine thread, or the caller's without threads.
  Engine& engine() { return *engine_; }
  const Intake& intake() const { return *intake_; }
  const Outbox& outbox() const { return *outbox_; }
  const metrics::SchedulerMetrics& metrics() const { return metrics_; }

 private:
  Scheduler(store::Store& store, const Clock& clock, const SchedulerOptions& options, bool threads);

  bool PumpEngine();
  // Whether who leads has changed.
  bool PumpLeadership();
  // Gives the lead up when the store refused a write because of it.
  void HeedRefusal();
  void AnswerQuestions() BERTH_EXCLUDES(questions_mutex_);
  void RunIntake(const std::stop_token& stop);
  void RunEngine(const std::stop_token& stop);
  void RunOutbox(const std::stop_token& stop);
  void RunLeadership(const std::stop_token& stop);
  // True for a leader whose writes carry his fence. `seen` is how far the engine has heard. A new leader first hears
  // everything that the one before has done.
  bool MaySchedule(store::Revision seen) const;
  std::chrono::steady_clock::time_point DeadlineFor(std::optional<Timestamp> moment) const;

  const Clock& clock_;
  const Duration gathering_;
  metrics::SchedulerMetrics metrics_;
  Inbox inbox_;
  std::unique_ptr<Outbox> outbox_;
  std::unique_ptr<BindingPool> binding_;
  std::unique_ptr<Intake> intake_;
  std::unique_ptr<Leadership> leadership_;  // null when nobody is asked
  std::unique_ptr<Engine> engine_;
  std::vector<Message> messages_;  // engine thread: taken and not handled yet
  bool started_ = false;

  std::atomic<store::Revision> fenced_by_ = 0;  // the token that writes carry
  Mutex questions_mutex_;
  std::vector<std::packaged_task<void()>> questions_ BERTH_GUARDED_BY(questions_mutex_);
  bool answers_questions_ BERTH_GUARDED_BY(questions_mutex_) = false;  // the engine's thread does

  std::jthread intake_thread_;
  std::jthread outbox_thread_;
  std::jthread leadership_thread_;
  std::jthread engine_thread_;
};

}  // namespace berth::scheduler
