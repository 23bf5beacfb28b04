// SPDX-License-Identifier: Apache-2.0
#include "scheduler/attempts.h"

#include "framework/node_info.h"
#include "framework/pods_to_activate.h"
#include "metrics/scheduler_metrics.h"
#include "metrics/stopwatch.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::Code;
using framework::ObjectKey;
using framework::PodInfoPtr;
using framework::PodUid;
using framework::Status;
using framework::WorkTicket;
using home::Outcome;
using std::chrono::steady_clock;

namespace {

constexpr int kLostAnswers = 5;  // then a binding that is not found written is given up

std::string NameOf(const ObjectKey& key) { return fmt::format("{}/{}/{}", key.kind, key.namespace_, key.name); }

Result<std::string> AnswerOf(const Status& status) {
  if (status.ok()) return std::string();
  return Error{ErrorCode::Internal, status.Message()};
}

Result<std::string> AnswerOf(const Commands::Ending& ending) {
  switch (ending.outcome) {
    case Outcome::Done: return ending.answer;
    case Outcome::Conflict: return Error{ErrorCode::Conflict, ending.error};
    case Outcome::Gone: return Error{ErrorCode::NotFound, ending.error};
    case Outcome::Fenced: return Error{ErrorCode::Fenced, ending.error};
    case Outcome::Refused: return Error{ErrorCode::Invalid, ending.error};
    case Outcome::NotDone:
    case Outcome::Unknown: break;
  }
  return Error{ErrorCode::Unavailable, ending.error};
}

}  // namespace

class Attempts::Work final : public framework::BindWork {
 public:
  Work(Attempts& attempts, Attempt& attempt) : attempts_(attempts), attempt_(attempt) {}

  WorkTicket Patch(framework::ObjectPatch patch) override {
    const WorkTicket ticket = ++attempt_.last_ticket;
    store::Key key{std::move(patch.object.kind), std::move(patch.object.namespace_), std::move(patch.object.name)};
    const home::Ticket command = attempts_.engine_.commands.Patch(
        {std::move(key), std::move(patch.uid), std::move(patch.resource_version), std::move(patch.merge_patch)});
    attempts_.patches_.emplace(command, &attempt_);
    attempt_.work.push_back({ticket, command});
    return ticket;
  }

  WorkTicket Bind() override {
    BERTH_CHECK(attempt_.progress.is(Stage::Binding) && attempt_.bind_work == 0);
    attempt_.bind_work = ++attempt_.last_ticket;
    attempts_.WriteBinding(attempt_);
    return attempt_.bind_work;
  }

  WorkTicket RunElsewhere(std::function<Status(const std::stop_token& stop)> work) override {
    const WorkTicket ticket = ++attempt_.last_ticket;
    if (!attempt_.stop.stop_possible()) attempt_.stop = std::stop_source();
    ++attempt_.elsewhere;
    attempt_.work.push_back({ticket, home::kNoTicket});
    attempts_.pool_.Start(
        {std::string(PodUid(*attempt_.pod->pod)), ticket, attempt_.stop.get_token(), std::move(work)});
    return ticket;
  }

 private:
  Attempts& attempts_;
  Attempt& attempt_;
};

Attempts::Attempts(EngineState& engine, FailureHandler& failures, WorkPool& pool)
    : engine_(engine), failures_(failures), pool_(pool) {}

Attempts::~Attempts() = default;

Attempt* Attempts::FindOne(std::string_view uid) const {
  const auto it = attempts_.find(uid);
  return it == attempts_.end() ? nullptr : it->second.get();
}

const Attempt* Attempts::Find(std::string_view uid) const { return FindOne(uid); }

Attempt& Attempts::New(queue::QueuedPodPtr queued) {
  Table::node_type node;
  if (spare_.empty()) {
    Table made;
    node = made.extract(made.emplace(std::string_view(), std::make_unique<Attempt>()).first);
    node.mapped()->services = std::make_unique<Work>(*this, *node.mapped());
  } else {
    node = std::move(spare_.back());
    spare_.pop_back();
  }
  Attempt& attempt = *node.mapped();
  attempt.number = ++begun_;
  attempt.pod = queued->pod;
  attempt.latest = queued->pod;
  attempt.queued = std::move(queued);
  node.key() = PodUid(*attempt.pod->pod);
  attempts_.insert(std::move(node));
  return attempt;
}

void Attempts::Recycle(const Attempt& ended) {
  Table::node_type node = attempts_.extract(PodUid(*ended.pod->pod));
  Attempt& attempt = *node.mapped();
  BERTH_CHECK(attempt.elsewhere == 0);
  if (attempt.progress.is(Standing::Gone) || attempt.progress.is(Standing::Replaced)) {
    const auto it = deleted_.find(attempt.pod->pod->meta.Key());
    if (it != deleted_.end() && it->second == &attempt) deleted_.erase(it);
  }
  attempt.queued = nullptr;
  attempt.pod = nullptr;
  attempt.latest = nullptr;
  attempt.node = nullptr;
  attempt.progress = {};
  attempt.state.Reset();
  attempt.work.clear();
  attempt.last_ticket = 0;
  attempt.stop = std::stop_source(std::nostopstate);
  attempt.failure = {};
  attempt.binding = home::kNoTicket;
  attempt.bind_work = 0;
  attempt.lost_answers = 0;
  spare_.push_back(std::move(node));
}

void Attempts::Begin(queue::QueuedPodPtr queued, const runtime::Profile& profile, framework::NodeId node,
                     framework::CycleState& state, steady_clock::time_point started) {
  Attempt& attempt = New(std::move(queued));
  attempt.profile = &profile;
  attempt.node = engine_.cluster.node(node).node;
  std::swap(attempt.state, state);
  attempt.decided = engine_.clock.Now();
  attempt.started = started;

  // From here on other pods see it on its node, though its home does not know yet.
  engine_.cluster.PlacePod(attempt.pod, attempt.node->meta.name);
  engine_.nominated.Remove(PodUid(*attempt.pod->pod));
  Status status = profile.RunReserve(attempt.state, *attempt.pod, attempt.node_name());
  std::map<std::string, Duration> waits;
  if (status.ok()) status = profile.RunPermit(attempt.state, *attempt.pod, attempt.node_name(), waits);
  const bool waits_at_permit = status.code() == Code::Wait;
  if (!status.ok() && !waits_at_permit) {
    Fail(attempt, FailureAtNode(status, steady_clock::now() - started), /*in_binding_cycle=*/false);
    return;
  }
  ActivateStashed(attempt.state);

  if (engine_.options.gates.Enabled(features::Gate::NominatedNodeNameForExpectation)) {
    const Status pre_flight =
        profile.RunPreBindPreFlight(attempt.state, *attempt.pod, attempt.node_name(), attempt.pre_bind);
    attempt.pre_bind.has_work = pre_flight.ok();
    if (!pre_flight.ok() && !pre_flight.is_skip()) {
      Fail(attempt, FailureWhileBinding(pre_flight, steady_clock::now() - started), /*in_binding_cycle=*/true);
      return;
    }
    if (attempt.pre_bind.has_work || waits_at_permit) AnnounceNode(attempt);
  } else {
    profile.PlanAllOfPreBind(attempt.pre_bind);
  }
  if (waits_at_permit) {
    attempt.progress.Take(Step::Wait);
    engine_.waiting.Add(attempt.pod, waits);
  } else {
    AfterPermit(attempt);
  }
}

void Attempts::AnnounceNode(Attempt& attempt) {
  const PodInfoPtr before = attempt.latest;
  if (before->pod->status->nominated_node_name == attempt.node_name()) return;
  engine_.PatchStatus({before->pod, {}, std::string(attempt.node_name())});
  attempt.latest = engine_.infos.InfoOf(engine_.shadow.Over(before->pod), before.get());
}

void Attempts::ActivateStashed(framework::CycleState& state) {
  framework::PodsToActivate* stashed = state.Mutable(framework::kPodsToActivate);
  if (stashed == nullptr || stashed->uids.empty()) return;
  engine_.queue->Activate(stashed->uids);
  stashed->uids.clear();
}

void Attempts::PermitResolved(const std::string& uid) {
  Attempt* attempt = FindOne(uid);
  const std::optional<Status> verdict = engine_.waiting.Take(uid);
  if (attempt == nullptr || !verdict) return;
  BERTH_CHECK(attempt->progress.is(Stage::Permit));
  if (engine_.metrics != nullptr) {
    engine_.metrics->PermitWait(framework::CodeName(verdict->code()), engine_.clock.Now() - attempt->decided);
  }
  if (verdict->ok()) {
    AfterPermit(*attempt);
    return;
  }
  const Duration took = steady_clock::now() - attempt->started;
  if (verdict->is_rejected()) {
    Fail(*attempt, FailureAtNode(*verdict, took), /*in_binding_cycle=*/true);
  } else {
    const Status error = Status::FromError("waiting on permit for pod: " + verdict->Message()).By(verdict->plugin());
    Fail(*attempt, FailureWhileBinding(error, took), /*in_binding_cycle=*/true);
  }
}

// Whatever fails from here on does not make the pod unschedulable, so events need not be kept for it any longer.
void Attempts::AfterPermit(Attempt& attempt) {
  engine_.queue->Done(PodUid(*attempt.pod->pod));
  if (attempt.pre_bind.has_work) {
    StartPreBind(attempt);
  } else {
    attempt.profile->NoteStep("PreBind", Code::Success, Duration(0));
    StartBind(attempt);
  }
}

void Attempts::StartPreBind(Attempt& attempt) {
  attempt.progress.Take(Step::Prepare);
  if (attempt.pre_bind_run == nullptr) attempt.pre_bind_run = std::make_unique<runtime::PreBindRun>();
  PreBindMoved(attempt, attempt.pre_bind_run->Start(*attempt.profile, attempt.state, *attempt.pod, attempt.node_name(),
                                                    attempt.pre_bind, *attempt.services));
}

void Attempts::PreBindMoved(Attempt& attempt, const std::optional<Status>& outcome) {
  UpdateWakes(attempt);
  if (!outcome) return;
  if (!outcome->ok()) {
    EndPreBind(attempt, *outcome);
  } else if (attempt.elsewhere == 0) {
    StartBind(attempt);
  }
}

void Attempts::EndPreBind(Attempt& attempt, Status failure) {
  attempt.progress.Take(Step::Cancel);
  attempt.failure = std::move(failure);
  attempt.pre_bind_run->Reset();
  UpdateWakes(attempt);
  DropWork(attempt);
  if (attempt.elsewhere != 0) return;  // the plugins' state is still in use
  Fail(attempt, FailureWhileBinding(attempt.failure, steady_clock::now() - attempt.started),
       /*in_binding_cycle=*/true);
}

void Attempts::DropWork(Attempt& attempt) {
  for (const Attempt::Work& work : attempt.work) {
    if (work.command == home::kNoTicket) continue;
    engine_.commands.Forget(work.command);
    patches_.erase(work.command);
  }
  attempt.work.clear();
  if (attempt.elsewhere != 0) attempt.stop.request_stop();
}

void Attempts::UpdateWakes(Attempt& attempt) {
  const runtime::PreBindRun& run = *attempt.pre_bind_run;
  if (attempt.woken_at != run.wake_at()) {
    if (attempt.woken_at) timers_.erase({*attempt.woken_at, attempt.number, &attempt});
    attempt.woken_at = run.wake_at();
    if (attempt.woken_at) timers_.emplace(*attempt.woken_at, attempt.number, &attempt);
  }
  if (std::ranges::equal(attempt.woken_by, run.wake_on())) return;
  for (const ObjectKey& key : attempt.woken_by) {
    const auto it = waiting_for_.find(NameOf(key));
    if (it == waiting_for_.end()) continue;
    std::erase(it->second, &attempt);
    if (it->second.empty()) waiting_for_.erase(it);
  }
  attempt.woken_by.assign(run.wake_on().begin(), run.wake_on().end());
  for (const ObjectKey& key : attempt.woken_by) {
    std::vector<Attempt*>& waiting = waiting_for_[NameOf(key)];
    if (std::ranges::find(waiting, &attempt) == waiting.end()) waiting.push_back(&attempt);
  }
}

void Attempts::ObjectChanged(const api::Object& object) {
  if (waiting_for_.empty()) return;
  const api::ObjectMeta& meta = api::MetaOf(object);
  const ObjectKey key{std::string(api::KindOf(object)), meta.namespace_, meta.name};
  const auto it = waiting_for_.find(NameOf(key));
  if (it == waiting_for_.end()) return;
  const std::vector<Attempt*> woken = it->second;  // what follows may change it
  for (Attempt* attempt : woken) {
    if (attempt->progress.is(Stage::PreBind)) PreBindMoved(*attempt, attempt->pre_bind_run->Changed(key));
  }
}

void Attempts::Tick() {
  if (timers_.empty()) return;
  const Timestamp now = engine_.clock.Now();
  while (!timers_.empty() && std::get<Timestamp>(*timers_.begin()) <= now) {
    Attempt& attempt = *std::get<Attempt*>(*timers_.begin());
    timers_.erase(timers_.begin());
    attempt.woken_at.reset();
    PreBindMoved(attempt, attempt.pre_bind_run->Deadline(now));
  }
}

std::optional<Timestamp> Attempts::NextTick() const {
  if (timers_.empty()) return std::nullopt;
  return std::get<Timestamp>(*timers_.begin());
}

void Attempts::StartBind(Attempt& attempt) {
  attempt.progress.Take(Step::Write);
  attempt.binding_since = steady_clock::now();
  if (attempt.profile->BindsAsDefault()) {
    WriteBinding(attempt);
    return;
  }
  if (attempt.bind_run == nullptr) attempt.bind_run = std::make_unique<runtime::BindRun>();
  BindMoved(attempt, attempt.bind_run->Start(*attempt.profile, attempt.state, *attempt.pod, attempt.node_name(),
                                             *attempt.services));
}

void Attempts::BindMoved(Attempt& attempt, const std::optional<Status>& outcome) {
  if (!outcome) return;
  // A plugin that has finished leaves nothing behind.
  BERTH_CHECK(attempt.bind_work == 0 && attempt.elsewhere == 0);
  DropWork(attempt);
  if (outcome->ok()) {
    Confirm(attempt);
  } else {
    Fail(attempt, FailureWhileBinding(*outcome, steady_clock::now() - attempt.started), /*in_binding_cycle=*/true);
  }
}

void Attempts::WriteBinding(Attempt& attempt) {
  attempt.binding = engine_.commands.Bind(attempt.pod->pod, attempt.node);
}

void Attempts::CommandEnded(const Commands::Ending& ending) {
  if (std::holds_alternative<home::PatchObject>(ending.command)) {
    const auto it = patches_.find(ending.ticket);
    if (it == patches_.end()) return;
    Attempt& attempt = *it->second;
    patches_.erase(it);
    const auto work = std::ranges::find(attempt.work, ending.ticket, &Attempt::Work::command);
    const WorkTicket ticket = work->ticket;
    attempt.work.erase(work);
    AnswerWork(attempt, ticket, AnswerOf(ending));
    return;
  }
  const auto* bind = std::get_if<home::BindPod>(&ending.command);
  const auto* question = std::get_if<home::LookUpPod>(&ending.command);
  Attempt* attempt = FindOne(PodUid(bind != nullptr ? *bind->pod : *question->pod));
  if (attempt == nullptr || attempt->binding != ending.ticket) return;
  attempt->binding = home::kNoTicket;
  if (bind != nullptr) {
    BindingEnded(*attempt, ending);
  } else {
    LookUpEnded(*attempt, ending);
  }
}

void Attempts::AnswerWork(Attempt& attempt, WorkTicket ticket, Result<std::string> answer) {
  if (attempt.progress.is(Stage::PreBind)) {
    PreBindMoved(attempt, attempt.pre_bind_run->Answer(ticket, std::move(answer)));
  } else if (attempt.progress.is(Stage::Binding)) {
    BindMoved(attempt, attempt.bind_run->Answer(ticket, std::move(answer)));
  }
}

void Attempts::BindingEnded(Attempt& attempt, const Commands::Ending& ending) {
  if (ending.outcome == Outcome::Done) {
    BindingSettled(attempt, Status::Success());
  } else if (ending.outcome != Outcome::Unknown) {
    BindingSettled(attempt, Status::FromError(ending.error));
  } else {
    attempt.progress.Take(Step::Lose);
    attempt.binding = engine_.commands.LookUp(attempt.pod->pod);
  }
}

void Attempts::LookUpEnded(Attempt& attempt, const Commands::Ending& ending) {
  if (ending.outcome == Outcome::Done && ending.answer == attempt.node_name()) {
    BindingSettled(attempt, Status::Success());
  } else if (ending.outcome == Outcome::Done && ending.answer.empty() && ++attempt.lost_answers < kLostAnswers) {
    attempt.progress.Take(Step::Resume);
    WriteBinding(attempt);
  } else if (ending.outcome == Outcome::Done) {
    const char* why = ending.answer.empty() ? "it was not written" : "the pod is on another node";
    BindingSettled(attempt, Status::FromError(fmt::format("binding failed without an answer: {}", why)));
  } else if (ending.outcome == Outcome::Gone) {
    BindingSettled(attempt, Status::FromError(ending.error));
  } else {
    // Giving up could place the pod twice.
    attempt.binding = engine_.commands.LookUp(attempt.pod->pod, /*again=*/true);
  }
}

void Attempts::BindingSettled(Attempt& attempt, const Status& status) {
  if (attempt.progress.is(Stage::Unknown)) attempt.progress.Take(Step::Resume);
  if (attempt.bind_work != 0) {
    const WorkTicket ticket = std::exchange(attempt.bind_work, 0);
    BindMoved(attempt, attempt.bind_run->Answer(ticket, AnswerOf(status)));
    return;
  }
  const auto now = steady_clock::now();
  attempt.profile->NoteStep("Bind", status.code(), now - attempt.binding_since);
  if (status.ok()) {
    Confirm(attempt);
  } else {
    Fail(attempt, FailureWhileBinding(attempt.profile->DefaultBindFailure(status), now - attempt.started),
         /*in_binding_cycle=*/true);
  }
}

void Attempts::Confirm(Attempt& attempt) {
  attempt.progress.Take(Step::Confirm);
  ++engine_.counts.bound;
  const api::Pod& pod = *attempt.pod->pod;
  engine_.shadow.Forget(PodUid(pod));
  engine_.Report(
      *attempt.profile, attempt.pod->pod, "Normal", "Scheduled", "Binding",
      fmt::format("Successfully assigned {}/{} to {}", pod.meta.namespace_, pod.meta.name, attempt.node_name()));
  if (engine_.metrics != nullptr) {
    const queue::QueuedPod& queued = *attempt.queued;
    engine_.metrics->Attempt(metrics::AttemptResult::Scheduled, attempt.profile->profile_name(),
                             steady_clock::now() - attempt.started);
    engine_.metrics->PodScheduled(queued.attempts, engine_.clock.Now() - queued.first_attempt.value_or(attempt.decided),
                                  queued.was_flushed);
  }
  if (!attempt.profile->HasPluginsAt(framework::ExtensionPoint::PostBind)) {
    attempt.profile->NoteStep("PostBind", Code::Success, Duration(0));
    Finish(attempt);
    return;
  }
  ++attempt.elsewhere;
  pool_.Start({std::string(PodUid(pod)), 0, {}, [&attempt](const std::stop_token&) {
                 attempt.profile->RunPostBind(attempt.state, *attempt.pod, attempt.node_name());
                 return Status::Success();
               }});
}

// Until its home tells of it, the cluster goes on counting the pod on our word.
void Attempts::Finish(Attempt& attempt) {
  ActivateStashed(attempt.state);
  if (attempt.progress.is(Standing::Assumed)) ++engine_.unconfirmed;
  Recycle(attempt);
}

void Attempts::Fail(Attempt& attempt, const Failure& failure, bool in_binding_cycle) {
  attempt.progress.Take(Step::Fail);
  const runtime::Profile& profile = *attempt.profile;
  const std::string uid(PodUid(*attempt.pod->pod));
  profile.RunUnreserve(attempt.state, *attempt.pod, attempt.node_name());
  if (attempt.progress.is(Standing::Assumed)) engine_.cluster.RemovePod(uid);
  // Other pods had to reckon with this one since its cycle ended. After an error the freed room is news for the pod
  // itself, too; after a verdict it must not wake itself.
  const bool wakes_others = in_binding_cycle && !attempt.progress.is(Standing::Assigned);
  const api::PodPtr placed = wakes_others ? WithNode(*attempt.pod->pod, attempt.node_name()) : nullptr;
  if (wakes_others && !failure.rejected) engine_.WakeByFreedRoom(placed);
  if (attempt.progress.is(Standing::Gone) || attempt.progress.is(Standing::Assigned)) {
    failures_.Abandon(*attempt.latest, profile, failure, /*is_told=*/true);
  } else if (attempt.progress.is(Standing::Replaced)) {
    failures_.Abandon(*attempt.latest, profile, failure, /*is_told=*/false);
  } else {
    attempt.queued->pod = attempt.latest;
    failures_.Fail(std::move(attempt.queued), profile, failure);
  }
  if (wakes_others && failure.rejected) engine_.WakeByFreedRoom(placed, {}, uid);
  Recycle(attempt);
}

void Attempts::WorkEnded(const WorkDone& done) {
  Attempt* attempt = FindOne(done.pod_uid);
  BERTH_CHECK(attempt != nullptr && attempt->elsewhere != 0);
  --attempt->elsewhere;
  std::erase_if(attempt->work, [&](const Attempt::Work& work) { return work.ticket == done.ticket; });
  switch (attempt->progress.stage()) {
    case Stage::Confirmed: Finish(*attempt); break;
    case Stage::Cancelling:
      if (attempt->elsewhere != 0) return;
      Fail(*attempt, FailureWhileBinding(attempt->failure, steady_clock::now() - attempt->started),
           /*in_binding_cycle=*/true);
      break;
    case Stage::PreBind:
      if (attempt->pre_bind_run->is_running()) {
        AnswerWork(*attempt, done.ticket, AnswerOf(done.status));
      } else if (attempt->elsewhere == 0) {
        StartBind(*attempt);
      }
      break;
    default: AnswerWork(*attempt, done.ticket, AnswerOf(done.status));
  }
}

bool Attempts::PodSet(const api::PodPtr& pod) {
  if (!deleted_.empty()) NoteReplacement(*pod);
  Attempt* attempt = FindOne(PodUid(*pod));
  if (attempt == nullptr) return false;
  const PodInfoPtr before = attempt->latest;
  attempt->latest = engine_.infos.InfoOf(engine_.shadow.Over(pod), before.get());
  if (!pod->node_name.empty()) {
    Assigned(*attempt, before);
  } else if (pod->is_terminating() && !before->pod->is_terminating()) {
    FreeRoom(*attempt, Told::Terminating, "terminating");
  }
  return true;
}

// On the node we chose or on another: the home is right.
void Attempts::Assigned(Attempt& attempt, const PodInfoPtr& before) {
  const bool was_assumed = attempt.progress.is(Standing::Assumed);
  const bool is_news = attempt.progress.Hear(Told::Assigned);
  const std::string& node = attempt.latest->pod->node_name;
  const bool is_elsewhere = node != attempt.node_name();
  engine_.cluster.PlacePod(attempt.latest, node);
  const api::Object old = before->pod;
  const api::Object after = attempt.latest->pod;
  engine_.WakeBy(is_news ? nullptr : &old, &after);
  if (was_assumed && is_elsewhere) engine_.WakeByFreedRoom(WithNode(*attempt.pod->pod, attempt.node_name()));
  if (!is_news) return;
  if (attempt.progress.is(Stage::Unknown)) {
    engine_.commands.Forget(attempt.binding);
    attempt.binding = home::kNoTicket;
    BindingSettled(
        attempt, is_elsewhere ? Status::FromError("binding rejected: the pod is on another node") : Status::Success());
    return;
  }
  Stop(attempt, "assigned to a node");
}

bool Attempts::PodDeleted(std::string_view uid) {
  Attempt* attempt = FindOne(uid);
  if (attempt == nullptr) return false;
  deleted_[attempt->pod->pod->meta.Key()] = attempt;
  if (attempt->progress.is(Standing::Assigned)) {
    attempt->progress.Hear(Told::Deleted);
    const api::PodPtr before = attempt->latest->pod;
    engine_.cluster.RemovePod(uid);
    engine_.WakeByFreedRoom(before);
    Stop(*attempt, "removed");
  } else {
    FreeRoom(*attempt, Told::Deleted, "removed");
  }
  return true;
}

// What is said of the old pod would be taken for news of the new one.
void Attempts::NoteReplacement(const api::Pod& pod) {
  const auto it = deleted_.find(pod.meta.Key());
  if (it == deleted_.end() || PodUid(*it->second->pod->pod) == PodUid(pod)) return;
  it->second->progress.Hear(Told::Replaced);
}

void Attempts::FreeRoom(Attempt& attempt, Told told, const char* why) {
  const bool was_assumed = attempt.progress.is(Standing::Assumed);
  if (!attempt.progress.Hear(told)) return;
  if (was_assumed) {
    engine_.cluster.RemovePod(PodUid(*attempt.pod->pod));
    engine_.WakeByFreedRoom(WithNode(*attempt.pod->pod, attempt.node_name()));
  }
  Stop(attempt, why);
}

// Whatever the pod still waits for is in vain. Once its binding is on its way this changes nothing.
void Attempts::Stop(Attempt& attempt, const char* why) {
  if (attempt.progress.is(Stage::Permit)) {
    engine_.waiting.With(PodUid(*attempt.pod->pod), [&](framework::WaitingPod& waiting) { waiting.Reject("", why); });
  } else if (attempt.progress.is(Stage::PreBind)) {
    EndPreBind(attempt, Status::FromError(fmt::format("the pod is {}", why)));
  } else if (attempt.progress.is(Stage::Binding) && attempt.binding != home::kNoTicket &&
             !engine_.commands.IsUnderWay(attempt.binding)) {
    engine_.commands.Forget(attempt.binding);
    attempt.binding = home::kNoTicket;
    BindingSettled(attempt, Status::FromError(fmt::format("the pod is {}", why)));
  }
}

bool Attempts::Preempt(std::string_view uid, std::string_view plugin) {
  Attempt* attempt = FindOne(uid);
  if (attempt == nullptr) return false;
  if (attempt->progress.is(Stage::Permit)) {
    bool preempted = false;
    engine_.waiting.With(uid,
                         [&](framework::WaitingPod& waiting) { preempted = waiting.Preempt(plugin, "preempted"); });
    return preempted;
  }
  if (!attempt->progress.is(Stage::PreBind)) return false;
  EndPreBind(*attempt, Status::FromError(fmt::format("preempted by {}", plugin)));
  return true;
}

void Attempts::StopPreBind() {
  for (const auto& [uid, attempt] : attempts_) attempt->stop.request_stop();
}

}  // namespace berth::scheduler
