// SPDX-License-Identifier: Apache-2.0
#include "scheduler/attempts.h"

#include "framework/node_info.h"
#include "framework/pods_to_activate.h"
#include "metrics/scheduler_metrics.h"
#include "metrics/stopwatch.h"

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

constexpr int kLostAnswers = 5;  // lost answers before a binding that was not written is given up

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

class Attempts::PluginWork final : public framework::BindWork {
 public:
  PluginWork(Attempts& attempts, Attempt& attempt) : attempts_(attempts), attempt_(attempt) {}

  WorkTicket Patch(framework::ObjectPatch patch) override { return attempts_.work_.Patch(attempt_, std::move(patch)); }
  WorkTicket RunElsewhere(std::function<Status(const std::stop_token& stop)> work) override {
    return attempts_.work_.RunElsewhere(attempt_, std::move(work));
  }
  WorkTicket Bind() override {
    BERTH_CHECK(attempt_.progress.is(Stage::Binding) && attempt_.bind_work == 0);
    attempt_.bind_work = ++attempt_.last_ticket;
    attempts_.WriteBinding(attempt_);
    return attempt_.bind_work;
  }

 private:
  Attempts& attempts_;
  Attempt& attempt_;
};

Attempts::Attempts(EngineState& engine, FailureHandler& failures, WorkPool& pool)
    : engine_(engine), failures_(failures), pool_(pool), work_(engine.commands, pool) {}

Attempts::~Attempts() = default;

void Attempts::Begin(queue::QueuedPodPtr queued, const runtime::Profile& profile, framework::NodeId node,
                     framework::CycleState& state, steady_clock::time_point started) {
  Attempt& attempt = attempts_.Add(std::move(queued));
  attempt.number = ++begun_;
  if (attempt.services == nullptr) attempt.services = std::make_unique<PluginWork>(*this, attempt);
  attempt.profile = &profile;
  attempt.node = engine_.cluster.node(node).node;
  std::swap(attempt.state, state);
  attempt.decided = engine_.clock.Now();
  attempt.started = started;

  // From here on other pods see it on its node, though its home does not know yet.
  engine_.cluster.PlacePod(attempt.pod, attempt.node->meta.name);
  engine_.nominated.Remove(PodUid(*attempt.pod->pod));
  Status status = profile.binding().RunReserve(attempt.state, *attempt.pod, attempt.node_name());
  std::map<std::string, Duration> waits;
  if (status.ok()) status = profile.binding().RunPermit(attempt.state, *attempt.pod, attempt.node_name(), waits);
  const bool waits_at_permit = status.code() == Code::Wait;
  if (!status.ok() && !waits_at_permit) {
    Fail(attempt, FailureAtNode(status, steady_clock::now() - started), /*in_binding_cycle=*/false);
    return;
  }
  ActivateStashed(attempt.state);

  if (engine_.options.gates.Enabled(features::Gate::NominatedNodeNameForExpectation)) {
    const Status pre_flight =
        profile.binding().RunPreBindPreFlight(attempt.state, *attempt.pod, attempt.node_name(), attempt.pre_bind);
    attempt.pre_bind.has_work = pre_flight.ok();
    if (!pre_flight.ok() && !pre_flight.is_skip()) {
      Fail(attempt, FailureWhileBinding(pre_flight, steady_clock::now() - started), /*in_binding_cycle=*/true);
      return;
    }
    if (attempt.pre_bind.has_work || waits_at_permit) AnnounceNode(attempt);
  } else {
    profile.binding().PlanAllOfPreBind(attempt.pre_bind);
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
  attempt.latest = engine_.classes.InfoOf(engine_.shadow.Over(before->pod), before.get());
}

void Attempts::ActivateStashed(framework::CycleState& state) {
  framework::PodsToActivate* stashed = state.Mutable(framework::kPodsToActivate);
  if (stashed == nullptr || stashed->uids.empty()) return;
  engine_.queue->Activate(stashed->uids);
  stashed->uids.clear();
}

void Attempts::PermitResolved(const std::string& uid) {
  Attempt* attempt = attempts_.Find(uid);
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
    attempt.profile->plugins().NoteStep("PreBind", Code::Success, Duration(0));
    StartBind(attempt);
  }
}

void Attempts::StartPreBind(Attempt& attempt) {
  attempt.progress.Take(Step::Prepare);
  if (attempt.pre_bind_run == nullptr) attempt.pre_bind_run = std::make_unique<runtime::PreBindRun>();
  PreBindMoved(attempt, attempt.pre_bind_run->Start(attempt.profile->plugins(), attempt.state, *attempt.pod,
                                                    attempt.node_name(), attempt.pre_bind, *attempt.services));
}

void Attempts::PreBindMoved(Attempt& attempt, const std::optional<Status>& outcome) {
  wakes_.Update(attempt, attempt.pre_bind_run->wake_at(), attempt.pre_bind_run->wake_on());
  if (!outcome) return;
  if (!outcome->ok()) {
    EndPreBind(attempt, *outcome);
  } else {
    work_.Drop(attempt);  // plugins that have finished want no answers
    if (attempt.elsewhere == 0) StartBind(attempt);
  }
}

void Attempts::EndPreBind(Attempt& attempt, Status failure) {
  attempt.progress.Take(Step::Cancel);
  attempt.failure = std::move(failure);
  attempt.pre_bind_run->Reset();
  wakes_.Update(attempt, attempt.pre_bind_run->wake_at(), attempt.pre_bind_run->wake_on());
  work_.Drop(attempt);
  if (attempt.elsewhere != 0) return;  // the plugins' state is still in use
  Fail(attempt, FailureWhileBinding(attempt.failure, steady_clock::now() - attempt.started),
       /*in_binding_cycle=*/true);
}

void Attempts::ObjectChanged(const api::Object& object) {
  if (!wakes_.waits_for_objects()) return;
  const api::ObjectMeta& meta = api::MetaOf(object);
  const ObjectKey key{std::string(api::KindOf(object)), meta.namespace_, meta.name};
  for (Attempt* attempt : wakes_.WaitingFor(key)) {
    if (attempt->progress.is(Stage::PreBind)) {
      PreBindMoved(*attempt, attempt->pre_bind_run->Changed(key));
    } else if (attempt->progress.is(Stage::Binding)) {
      BindMoved(*attempt, attempt->bind_run->Changed(key));
    }
  }
}

void Attempts::Tick() {
  const Timestamp now = engine_.clock.Now();
  // Each once: a plugin may name a time that has passed already.
  for (size_t due = wakes_.CountDue(now); due > 0; --due) {
    Attempt* attempt = wakes_.TakeDue(now);
    if (attempt == nullptr) return;
    if (attempt->progress.is(Stage::PreBind)) {
      PreBindMoved(*attempt, attempt->pre_bind_run->Deadline(now));
    } else if (attempt->progress.is(Stage::Binding)) {
      BindMoved(*attempt, attempt->bind_run->Deadline(now));
    }
  }
}

void Attempts::StartBind(Attempt& attempt) {
  attempt.progress.Take(Step::Write);
  attempt.binding_since = steady_clock::now();
  if (attempt.profile->binding().BindsAsDefault()) {
    WriteBinding(attempt);
    return;
  }
  if (attempt.bind_run == nullptr) attempt.bind_run = std::make_unique<runtime::BindRun>();
  BindMoved(attempt, attempt.bind_run->Start(attempt.profile->plugins(), attempt.state, *attempt.pod,
                                             attempt.node_name(), *attempt.services));
}

void Attempts::BindMoved(Attempt& attempt, std::optional<Status> outcome) {
  wakes_.Update(attempt, attempt.bind_run->wake_at(), attempt.bind_run->wake_on());
  if (!outcome) return;
  work_.Drop(attempt);
  if (attempt.bind_work != 0 || attempt.elsewhere != 0) {
    attempt.bind_outcome = std::move(outcome);
  } else {
    BindEnded(attempt, *outcome);
  }
}

void Attempts::BindEnded(Attempt& attempt, const Status& outcome) {
  if (outcome.ok()) {
    Confirm(attempt);
  } else {
    Fail(attempt, FailureWhileBinding(outcome, steady_clock::now() - attempt.started), /*in_binding_cycle=*/true);
  }
}

void Attempts::WriteBinding(Attempt& attempt) {
  attempt.binding = engine_.commands.Bind(attempt.pod->pod, attempt.node);
  // A patch that the binding has absorbed is not written: it is asked for again if the binding fails.
  const std::string_view uid = PodUid(*attempt.pod->pod);
  const home::Ticket patch = engine_.shadow.Pending(uid);
  if (patch != home::kNoTicket && !engine_.commands.IsOpen(patch)) engine_.shadow.NotWritten(uid, patch);
}

void Attempts::CommandEnded(const Commands::Ending& ending) {
  if (std::holds_alternative<home::PatchObject>(ending.command)) {
    if (const std::optional<AttemptWork::Owner> owner = work_.PatchEnded(ending.ticket)) {
      AnswerWork(*owner->attempt, owner->ticket, AnswerOf(ending));
    }
    return;
  }
  const auto* bind = std::get_if<home::BindPod>(&ending.command);
  const auto* question = std::get_if<home::LookUpPod>(&ending.command);
  Attempt* attempt = attempts_.Find(PodUid(bind != nullptr ? *bind->pod : *question->pod));
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
  } else if (attempt.progress.is(Stage::Binding) || attempt.progress.is(Stage::Unknown)) {
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
    if (!attempt.bind_outcome) {
      BindMoved(attempt, attempt.bind_run->Answer(ticket, AnswerOf(status)));
    } else if (attempt.elsewhere == 0) {
      BindEnded(attempt, status.ok() ? *attempt.bind_outcome : status);
    } else if (!status.ok()) {
      attempt.bind_outcome = status;
    }
    return;
  }
  const auto now = steady_clock::now();
  attempt.profile->plugins().NoteStep("Bind", status.code(), now - attempt.binding_since);
  if (status.ok()) {
    Confirm(attempt);
  } else {
    Fail(attempt, FailureWhileBinding(attempt.profile->binding().DefaultBindFailure(status), now - attempt.started),
         /*in_binding_cycle=*/true);
  }
}

void Attempts::Confirm(Attempt& attempt) {
  attempt.progress.Take(Step::Confirm);
  ++engine_.counts.bound;
  const api::Pod& pod = *attempt.pod->pod;
  engine_.shadow.Forget(PodUid(pod));
  engine_.log.V(2).Info("Successfully bound pod to node", {{"pod", NameOf(pod)}, {"node", attempt.node_name()}});
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
  if (!attempt.profile->plugins().HasAnyAt(framework::ExtensionPoint::PostBind)) {
    attempt.profile->plugins().NoteStep("PostBind", Code::Success, Duration(0));
    Finish(attempt);
    return;
  }
  ++attempt.elsewhere;
  pool_.Start({std::string(PodUid(pod)), 0, {}, [&attempt](const std::stop_token&) {
                 attempt.profile->binding().RunPostBind(attempt.state, *attempt.pod, attempt.node_name());
                 return Status::Success();
               }});
}

// Until the home confirms the pod, the cluster counts it as assumed.
void Attempts::Finish(Attempt& attempt) {
  ActivateStashed(attempt.state);
  if (attempt.progress.is(Standing::Assumed)) ++engine_.unconfirmed;
  attempts_.Remove(attempt);
}

void Attempts::Fail(Attempt& attempt, const Failure& failure, bool in_binding_cycle) {
  attempt.progress.Take(Step::Fail);
  const runtime::Profile& profile = *attempt.profile;
  const std::string uid(PodUid(*attempt.pod->pod));
  profile.binding().RunUnreserve(attempt.state, *attempt.pod, attempt.node_name());
  if (attempt.progress.is(Standing::Assumed)) engine_.cluster.RemovePod(uid);
  // Since its cycle ended, other pods have counted this one as placed, so its room is news to them. After an error the
  // freed room may also help the pod itself; after a rejection the pod must not wake itself.
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
  attempts_.Remove(attempt);
}

void Attempts::WorkEnded(const WorkDone& done) {
  Attempt* attempt = attempts_.Find(done.pod_uid);
  BERTH_CHECK(attempt != nullptr && attempt->elsewhere != 0);
  AttemptWork::Returned(*attempt, done.ticket);
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
    default:
      if (!attempt->bind_outcome) {
        AnswerWork(*attempt, done.ticket, AnswerOf(done.status));
      } else if (attempt->elsewhere == 0 && attempt->bind_work == 0) {
        BindEnded(*attempt, *attempt->bind_outcome);
      }
  }
}

bool Attempts::PodSet(const api::PodPtr& pod) {
  // From now on, events about the deleted pod would be mistaken for events about the pod that took its name.
  if (Attempt* replaced = attempts_.ReplacedBy(*pod)) replaced->progress.Hear(Told::Replaced);
  Attempt* attempt = attempts_.Find(PodUid(*pod));
  if (attempt == nullptr) return false;
  const PodInfoPtr before = attempt->latest;
  attempt->latest = engine_.classes.InfoOf(engine_.shadow.Over(pod), before.get());
  if (!pod->node_name.empty()) {
    Assigned(*attempt, before);
  } else if (pod->is_terminating() && !before->pod->is_terminating()) {
    FreeRoom(*attempt, Told::Terminating, "terminating");
  }
  return true;
}

// The pod is on the node we chose or on another; either way, the home's word counts.
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
  Attempt* attempt = attempts_.Find(uid);
  if (attempt == nullptr) return false;
  attempts_.NoteDeleted(*attempt);
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

void Attempts::FreeRoom(Attempt& attempt, Told told, const char* why) {
  const bool was_assumed = attempt.progress.is(Standing::Assumed);
  if (!attempt.progress.Hear(told)) return;
  if (was_assumed) {
    engine_.cluster.RemovePod(PodUid(*attempt.pod->pod));
    engine_.WakeByFreedRoom(WithNode(*attempt.pod->pod, attempt.node_name()));
  }
  Stop(attempt, why);
}

// Ends whatever the pod is still waiting for. Has no effect once its binding has been sent.
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
  Attempt* attempt = attempts_.Find(uid);
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
  attempts_.ForEach([](Attempt& attempt) { attempt.stop.request_stop(); });
}

}  // namespace berth::scheduler
