// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.h"

#include "base/thread_name.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace berth::scheduler {

using std::chrono::steady_clock;

namespace {

// How long a thread sleeps at most when nothing calls it: bounds the harm of a clock that jumps.
constexpr Duration kLongestSleep = std::chrono::seconds(1);
// How long a new leader may have to wait to learn that he has heard everything while nothing happens.
constexpr Duration kLeadersPatience = std::chrono::milliseconds(20);

}  // namespace

Scheduler::Scheduler(store::Store& store, const Clock& clock, const SchedulerOptions& options, bool threads)
    : clock_(clock),
      gathering_(options.gathering),
      // Without threads nobody would empty the inbox for one who waits for room in it.
      inbox_(threads ? Inbox::kMaxChanges : Inbox::kUnbounded),
      outbox_(std::make_unique<Outbox>(store, inbox_, clock, options.outbox, &metrics_)),
      binding_(std::make_unique<BindingPool>(*outbox_, inbox_, threads ? options.binding_threads : 0)),
      intake_(std::make_unique<Intake>(store, inbox_, clock)) {
  if (options.leader) leadership_ = std::make_unique<Leadership>(store, clock, *options.leader);
}

Result<std::unique_ptr<Scheduler>> Scheduler::Create(std::vector<config::ProfilePlan> plans,
                                                     const framework::Registry& registry, store::Store& store,
                                                     const Clock& clock, const SchedulerOptions& options,
                                                     bool threads) {
  std::unique_ptr<Scheduler> scheduler(new Scheduler(store, clock, options, threads));
  EngineLinks links{&clock, &scheduler->inbox_, scheduler->outbox_.get(), scheduler->binding_.get(),
                    &scheduler->metrics_};
  BERTH_ASSIGN_OR_RETURN(scheduler->engine_, Engine::Create(std::move(plans), registry, options.engine, links));
  return scheduler;
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
  intake_thread_ = std::jthread([this](const std::stop_token& stop) { RunIntake(stop); });
  outbox_thread_ = std::jthread([this](const std::stop_token& stop) { RunOutbox(stop); });
  engine_thread_ = std::jthread([this](const std::stop_token& stop) { RunEngine(stop); });
}

void Scheduler::Stop() {
  if (!std::exchange(started_, false)) return;
  // The engine first: nothing new is decided. What is on its way is still written, and its answers are not needed.
  engine_thread_.request_stop();
  inbox_.Wake();
  engine_thread_.join();
  binding_->Close();
  outbox_thread_.request_stop();
  outbox_->Close();
  outbox_thread_.join();
  intake_thread_.request_stop();
  intake_->Close();
  inbox_.Close();
  intake_thread_.join();
  if (leadership_) {
    leadership_thread_.request_stop();
    leadership_thread_.join();
    leadership_->Release();
  }
}

bool Scheduler::PumpLeadership() {
  if (!leadership_->Pump()) return false;
  if (const std::optional<store::Fence> fence = leadership_->fence()) {
    outbox_->SetFence(*fence);
    fenced_by_ = fence->token;
  }
  return true;
}

void Scheduler::HeedRefusal() {
  if (leadership_ == nullptr) return;
  if (const std::optional<store::Fence> refused = outbox_->TakeRefused()) leadership_->Lose(*refused);
}

bool Scheduler::MaySchedule(store::Revision seen) const {
  if (leadership_ == nullptr) return true;
  const store::Revision token = leadership_->token();
  return token != 0 && token == fenced_by_ && seen >= token;
}

bool Scheduler::PumpEngine() {
  const store::Revision seen = intake_->revision();  // before taking: what it covers is in the inbox already
  inbox_.Take(messages_);
  bool worked = !messages_.empty();
  for (Message& message : messages_) engine_->Handle(message);
  messages_.clear();
  engine_->Tick();
  // One pod a turn: what the store tells meanwhile is heard before the next.
  if (MaySchedule(seen)) worked |= engine_->ScheduleOne();
  return worked;
}

bool Scheduler::Pump() {
  // Between two decisions everything is written and heard: who drives the scheduler step by step wants no lag in it.
  bool worked = leadership_ != nullptr && PumpLeadership();
  while (intake_->Pump(Duration(0))) worked = true;
  worked |= PumpEngine();
  while (binding_->Pump()) worked = true;
  while (outbox_->Pump()) worked = true;
  HeedRefusal();
  return worked;
}

std::optional<Timestamp> Scheduler::NextDeadline() const {
  std::optional<Timestamp> next = engine_->NextTick();
  const auto consider = [&](std::optional<Timestamp> moment) {
    if (moment && (!next || *moment < *next)) next = moment;
  };
  consider(outbox_->NextDue());
  consider(intake_->retry_at());
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
    inbox_.WaitUntil(DeadlineFor(engine_->NextTick()));
  }
  engine_->StopBinding();
  // From here on whoever asks answers himself, one at a time.
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

void Scheduler::RunIntake(const std::stop_token& stop) {
  NameThread("berth-intake");
  const Duration patience = leadership_ != nullptr ? kLeadersPatience : kLongestSleep;
  while (!stop.stop_requested()) {
    if (intake_->Pump(patience)) {
      // A new leader waits to have heard enough, and may have heard it without being told of any change.
      if (leadership_ != nullptr) inbox_.Wake();
      continue;
    }
    if (!intake_->retry_at()) continue;
    std::this_thread::sleep_until(DeadlineFor(intake_->retry_at()));
  }
}

void Scheduler::RunOutbox(const std::stop_token& stop) {
  NameThread("berth-outbox");
  while (true) {
    while (outbox_->Pump()) HeedRefusal();
    if (stop.stop_requested()) return;
    outbox_->WaitUntil(DeadlineFor(outbox_->NextDue()));
    // A moment's patience fills the transaction: the store, the watch and the engine are woken once for many pods.
    if (!stop.stop_requested()) std::this_thread::sleep_for(gathering_);
  }
}

void Scheduler::RunLeadership(const std::stop_token& stop) {
  NameThread("berth-leader");
  while (!stop.stop_requested()) {
    if (PumpLeadership()) inbox_.Wake();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

steady_clock::time_point Scheduler::DeadlineFor(std::optional<Timestamp> moment) const {
  const Timestamp now = clock_.Now();
  Duration sleep = kLongestSleep;
  // Compared before they are subtracted: "at once" is the beginning of time.
  if (moment) sleep = *moment <= now ? Duration(0) : std::min(*moment - now, kLongestSleep);
  return steady_clock::now() + sleep;
}

}  // namespace berth::scheduler
