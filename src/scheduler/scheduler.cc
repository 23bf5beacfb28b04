// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.h"

#include "base/thread_name.h"
#include "scheduler/wanted_kinds.h"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <utility>

namespace berth::scheduler {

using std::chrono::steady_clock;

namespace {

// How long a thread sleeps at most when nothing calls it: bounds the harm of a clock that jumps.
constexpr Duration kLongestSleep = std::chrono::seconds(1);
// While nothing changes, a new leader learns only after this long that it has seen all changes.
constexpr Duration kLeadersPatience = std::chrono::milliseconds(20);
// How often it is looked whether the first lists are complete.
constexpr Duration kUntilSynced = std::chrono::milliseconds(10);

}  // namespace

Scheduler::Scheduler(std::unique_ptr<home::Home> home, const Clock& clock, const SchedulerOptions& options,
                     bool threads, std::unique_ptr<framework::Extenders> extenders)
    : clock_(clock),
      // Without threads, a sender that waited for room in the inbox would wait forever.
      inbox_(threads ? Inbox::kMaxChanges : Inbox::kUnbounded),
      extenders_(std::move(extenders)),
      home_(std::move(home)),
      pool_(inbox_, threads ? options.work_threads : 0),
      wait_for_lead_(threads && options.leader.has_value() && options.wait_for_lead) {}

Result<std::unique_ptr<Scheduler>> Scheduler::Create(std::vector<config::ProfilePlan> plans,
                                                     const framework::Registry& registry,
                                                     std::unique_ptr<home::Home> home, const Clock& clock,
                                                     const SchedulerOptions& options, bool threads,
                                                     std::unique_ptr<framework::Extenders> extenders) {
  std::unique_ptr<Scheduler> scheduler(new Scheduler(std::move(home), clock, options, threads, std::move(extenders)));
  const EngineLinks links{&clock,
                          &scheduler->inbox_,
                          scheduler->home_.get(),
                          &scheduler->pool_,
                          &scheduler->metrics_,
                          scheduler->extenders_.get()};
  BERTH_ASSIGN_OR_RETURN(scheduler->engine_, Engine::Create(std::move(plans), registry, options.engine, links));
  Engine& engine = *scheduler->engine_;
  if (options.leader) {
    scheduler->leadership_ = std::make_unique<Leadership>(scheduler->home_->leases(), clock, *options.leader,
                                                          options.engine.log.Named("leadership"), &engine.problems());
  }
  BERTH_ASSIGN_OR_RETURN(std::vector<std::string> kinds, WantedKinds(engine.profiles(), registry, engine.queue()));
  scheduler->home_->Open(scheduler->inbox_, std::move(kinds));
  return scheduler;
}

Result<std::unique_ptr<Scheduler>> Scheduler::Create(std::vector<config::ProfilePlan> plans,
                                                     const framework::Registry& registry, store::Store& store,
                                                     const Clock& clock, const SchedulerOptions& options, bool threads,
                                                     std::unique_ptr<framework::Extenders> extenders) {
  home::StoreHomeOptions store_options = options.store;
  // A new leader learns the sooner that it has heard everything while nothing happens.
  if (options.leader) store_options.patience = kLeadersPatience;
  return Create(std::move(plans), registry, std::make_unique<home::StoreHome>(store, clock, std::move(store_options)),
                clock, options, threads, std::move(extenders));
}

Scheduler::~Scheduler() { Stop(); }

void Scheduler::Start() {
  BERTH_CHECK(!started_);
  started_ = true;
  {
    const MutexLock lock(questions_mutex_);
    answers_questions_ = true;
  }
  if (leadership_) leadership_thread_ = std::jthread([this](const std::stop_token& stop) { RunLeadership(stop); });
  if (!wait_for_lead_) home_->Start();
  engine_thread_ = std::jthread([this](const std::stop_token& stop) { RunEngine(stop); });
}

void Scheduler::Stop() {
  if (!std::exchange(started_, false)) return;
  // The engine first: nothing new is decided. Bindings on their way are still written; their answers are not needed.
  engine_thread_.request_stop();
  inbox_.Wake();
  engine_thread_.join();
  inbox_.Close();
  pool_.Close();
  const bool settled = home_->Stop();
  if (leadership_) {
    leadership_thread_.request_stop();
    leadership_thread_.join();
    // A binding that may still be carried out must not meet another leader: then the lease runs out by itself.
    if (settled) leadership_->Release();
  }
}

void Scheduler::HeedRefusal() {
  const std::shared_ptr<const home::WriteTerms> refused = engine_->commands().TakeFenced();
  if (refused != nullptr && leadership_ != nullptr) leadership_->Lose(*refused);
}

bool Scheduler::MaySchedule(const home::WriteTerms* terms, store::Revision seen) const {
  if (leadership_ == nullptr) return true;
  if (terms == nullptr) return false;
  return !home_->capabilities().one_revision || seen >= terms->fence.token;
}

bool Scheduler::PumpEngine() {
  const store::Revision seen = home_->FeedProgress();  // before taking: what it covers is in the inbox already
  inbox_.Take(messages_);
  bool worked = !messages_.empty();
  for (Message& message : messages_) engine_->Handle(message);
  messages_.clear();
  HeedRefusal();
  engine_->Tick();
  std::shared_ptr<const home::WriteTerms> terms;
  if (leadership_ != nullptr) {
    terms = leadership_->terms();
    // A former leader keeps its old terms, under which the home writes nothing.
    if (terms != nullptr) {
      engine_->commands().SetTerms(terms);
      if (wait_for_lead_ && !std::exchange(home_awake_, true)) home_->Start();
    }
  }
  const bool may_schedule = MaySchedule(terms.get(), seen);
  catches_up_ = terms != nullptr && !may_schedule;
  // One pod a turn: what the home tells meanwhile is heard before the next.
  if (may_schedule) worked |= engine_->ScheduleOne();
  engine_->SendCommands();
  return worked;
}

SchedulerStatus Scheduler::status() const {
  SchedulerStatus status;
  status.leads = leadership_ == nullptr || leadership_->leads();
  status.feeds = home_->feed_stats();
  const Problems& problems = std::as_const(*engine_).problems();
  status.problems = problems.Known();
  for (size_t kind = 0; kind < kProblemKinds; ++kind) {
    status.problem_counts.at(kind) = problems.count(static_cast<ProblemKind>(kind));
  }
  return status;
}

bool Scheduler::Pump() {
  // Between two decisions, all writes and messages are delivered: a caller that steps the scheduler wants no lag.
  bool worked = leadership_ != nullptr && leadership_->Pump();
  while (home_->PumpFeeds()) worked = true;
  worked |= PumpEngine();
  while (pool_.Pump()) worked = true;
  while (home_->PumpCommands()) worked = true;
  return worked;
}

bool Scheduler::AwaitAnswer() {
  if (!engine_->awaits_answers()) return false;
  inbox_.WaitUntil(steady_clock::now() + kLongestSleep);
  return true;
}

std::optional<Timestamp> Scheduler::NextDeadline() const {
  std::optional<Timestamp> next = engine_->NextTick();
  const auto consider = [&](std::optional<Timestamp> moment) {
    if (moment && (!next || *moment < *next)) next = moment;
  };
  consider(home_->NextDue());
  if (leadership_) consider(leadership_->NextDue());
  return next;
}

void Scheduler::Ask(const std::function<void(Engine&)>& question) {
  std::packaged_task<void()> task([&] { question(*engine_); });
  std::future<void> answered = task.get_future();
  {
    const MutexLock lock(questions_mutex_);
    if (!answers_questions_) {
      task();  // under the lock, as others may ask too
      return;
    }
    questions_.push_back(std::move(task));
  }
  inbox_.Wake();
  answered.wait();
}

void Scheduler::RunEngine(const std::stop_token& stop) {
  NameThread("berth-engine");
  while (!stop.stop_requested()) {
    if (PumpEngine()) {
      AnswerQuestions();
      continue;
    }
    AnswerQuestions();
    const steady_clock::time_point deadline = DeadlineFor(engine_->NextTick());
    // Having caught up with all changes is not announced by a message: poll for it.
    inbox_.WaitUntil(catches_up_ ? std::min(deadline, steady_clock::now() + kLeadersPatience) : deadline);
  }
  engine_->StopBinding();
  // From here on, Ask runs questions on the caller's thread, one at a time.
  const MutexLock lock(questions_mutex_);
  answers_questions_ = false;
  for (std::packaged_task<void()>& question : questions_) question();
  questions_.clear();
}

void Scheduler::AnswerQuestions() {
  std::vector<std::packaged_task<void()>> questions;
  {
    const MutexLock lock(questions_mutex_);
    questions.swap(questions_);
  }
  for (std::packaged_task<void()>& question : questions) question();
}

void Scheduler::RunLeadership(const std::stop_token& stop) {
  NameThread("berth-leader");
  std::mutex mutex;
  std::condition_variable_any asked_to_stop;
  std::unique_lock<std::mutex> lock(mutex);
  // Who cannot read the cluster must not keep those from leading who can.
  while (!stop.stop_requested() && !wait_for_lead_ && !synced()) {
    asked_to_stop.wait_for(lock, stop, kUntilSynced, [] { return false; });
  }
  while (!stop.stop_requested()) {
    if (leadership_->Pump()) inbox_.Wake();
    asked_to_stop.wait_until(lock, stop, DeadlineFor(leadership_->NextDue()), [] { return false; });
  }
}

steady_clock::time_point Scheduler::DeadlineFor(std::optional<Timestamp> moment) const {
  const Timestamp now = clock_.Now();
  Duration sleep = kLongestSleep;
  // Compare before subtracting: "at once" is Timestamp::min(), and the difference would overflow.
  if (moment) sleep = *moment <= now ? Duration(0) : std::min(*moment - now, kLongestSleep);
  return steady_clock::now() + sleep;
}

}  // namespace berth::scheduler
