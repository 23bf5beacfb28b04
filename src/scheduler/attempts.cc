// SPDX-License-Identifier: Apache-2.0
#include "scheduler/attempts.h"

#include "framework/node_info.h"
#include "metrics/scheduler_metrics.h"

#include <map>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::Code;
using framework::PodInfoPtr;
using framework::PodUid;
using framework::Status;
using std::chrono::steady_clock;

Attempts::Attempts(EngineState& engine, FailureHandler& failures, WorkPool& pool)
    : engine_(engine), endings_(engine, failures, pool, attempts_), binding_(engine, pool, endings_) {}

void Attempts::Begin(queue::QueuedPodPtr queued, const runtime::Profile& profile, const NodeChoice& choice,
                     framework::CycleState& state, steady_clock::time_point started) {
  Attempt& attempt = attempts_.Add(std::move(queued));
  attempt.number = ++begun_;
  if (attempt.services == nullptr) attempt.services = binding_.ServicesFor(attempt);
  attempt.profile = &profile;
  attempt.node = engine_.cluster.node(choice.node).node;
  attempt.evaluated_nodes = choice.evaluated;
  attempt.feasible_nodes = choice.feasible;
  std::swap(attempt.state, state);
  attempt.state.EndDecision(state);
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
    endings_.FailInSchedulingCycle(attempt, FailureAtNode(status, steady_clock::now() - started));
    return;
  }
  endings_.ActivateStashed(attempt.state);

  if (engine_.options.gates.Enabled(features::Gate::NominatedNodeNameForExpectation)) {
    const Status pre_flight =
        profile.binding().RunPreBindPreFlight(attempt.state, *attempt.pod, attempt.node_name(), attempt.pre_bind);
    attempt.pre_bind.has_work = pre_flight.ok();
    if (!pre_flight.ok() && !pre_flight.is_skip()) {
      endings_.FailWhileBinding(attempt, pre_flight);
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
    binding_.Start(attempt);
  }
}

void Attempts::AnnounceNode(Attempt& attempt) {
  const PodInfoPtr before = attempt.latest;
  if (before->pod->status->nominated_node_name == attempt.node_name()) return;
  engine_.PatchStatus({before->pod, {}, std::string(attempt.node_name())});
  attempt.latest = engine_.classes.InfoOf(engine_.shadow.Over(before->pod), before.get());
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
    binding_.Start(*attempt);
    return;
  }
  if (verdict->is_rejected()) {
    endings_.FailInBindingCycle(*attempt, FailureAtNode(*verdict, steady_clock::now() - attempt->started));
  } else {
    const std::string why = "waiting on permit for pod: " + verdict->Message();
    endings_.FailWhileBinding(*attempt, Status::FromError(why).By(verdict->plugin()));
  }
}

void Attempts::CommandEnded(const Commands::Ending& ending) {
  if (std::holds_alternative<home::PatchObject>(ending.command)) {
    binding_.PatchEnded(ending);
    return;
  }
  const auto* bind = std::get_if<home::BindPod>(&ending.command);
  const auto* question = std::get_if<home::LookUpPod>(&ending.command);
  Attempt* attempt = attempts_.Find(PodUid(bind != nullptr ? *bind->pod : *question->pod));
  if (attempt != nullptr && attempt->binding == ending.ticket) binding_.BindingEnded(*attempt, ending);
}

void Attempts::WorkEnded(const WorkDone& done) {
  Attempt* attempt = attempts_.Find(done.pod_uid);
  BERTH_CHECK(attempt != nullptr && attempt->elsewhere != 0);
  binding_.WorkEnded(*attempt, done);
}

void Attempts::WorkAnswered(const scheduler::WorkAnswered& answered) {
  binding_.AnswerCame();
  Attempt* attempt = attempts_.Find(answered.pod_uid);
  if (attempt != nullptr && attempt->number == answered.attempt) binding_.Answered(*attempt, answered);
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
    binding_.Resolve(
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
    binding_.CancelPreBind(attempt, Status::FromError(fmt::format("the pod is {}", why)));
  } else if (attempt.progress.is(Stage::Binding)) {
    binding_.CancelBinding(attempt, why);
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
  if (attempt->progress.is(Stage::Cancelling)) return true;  // for another preemptor
  if (!attempt->progress.is(Stage::PreBind)) return false;
  binding_.CancelPreBind(*attempt, Status::FromError(fmt::format("preempted by {}", plugin)));
  return true;
}

void Attempts::StopPreBind() {
  attempts_.ForEach([](Attempt& attempt) { attempt.stop.request_stop(); });
}

}  // namespace berth::scheduler
