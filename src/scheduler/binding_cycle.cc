// SPDX-License-Identifier: Apache-2.0
#include "scheduler/binding_cycle.h"

#include "framework/node_info.h"

#include <chrono>
#include <functional>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::Code;
using framework::ObjectKey;
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

class BindingCycle::PluginWork final : public framework::BindWork {
 public:
  PluginWork(BindingCycle& cycle, Attempt& attempt) : cycle_(cycle), attempt_(attempt) {}

  WorkTicket Patch(framework::ObjectPatch patch) override { return cycle_.work_.Patch(attempt_, std::move(patch)); }
  WorkTicket RunElsewhere(std::function<Status(const std::stop_token& stop)> work) override {
    return cycle_.work_.RunElsewhere(attempt_, std::move(work));
  }
  WorkTicket Await(const std::function<void(TakeAnswer take)>& begin) override {
    return cycle_.work_.Await(attempt_, begin);
  }
  WorkTicket Bind() override {
    BERTH_CHECK(attempt_.progress.is(Stage::Binding) && attempt_.bind_work == 0);
    attempt_.bind_work = ++attempt_.last_ticket;
    cycle_.WriteBinding(attempt_);
    return attempt_.bind_work;
  }

 private:
  BindingCycle& cycle_;
  Attempt& attempt_;
};

std::unique_ptr<framework::BindWork> BindingCycle::ServicesFor(Attempt& attempt) {
  return std::make_unique<PluginWork>(*this, attempt);
}

// Whatever fails from here on does not make the pod unschedulable, so events need not be kept for it any longer.
void BindingCycle::Start(Attempt& attempt) {
  engine_.queue->Done(PodUid(*attempt.pod->pod));
  if (!attempt.pre_bind.has_work) {
    attempt.profile->plugins().NoteStep("PreBind", Code::Success, Duration(0));
    StartBind(attempt);
    return;
  }
  attempt.progress.Take(Step::Prepare);
  if (attempt.pre_bind_run == nullptr) attempt.pre_bind_run = std::make_unique<runtime::PreBindRun>();
  PreBindMoved(attempt, attempt.pre_bind_run->Start(attempt.profile->plugins(), attempt.state, *attempt.pod,
                                                    attempt.node_name(), attempt.pre_bind, *attempt.services));
}

void BindingCycle::PreBindMoved(Attempt& attempt, const std::optional<Status>& outcome) {
  wakes_.Update(attempt, attempt.pre_bind_run->wake_at(), attempt.pre_bind_run->wake_on());
  if (!outcome) return;
  if (!outcome->ok()) {
    CancelPreBind(attempt, *outcome);
  } else {
    work_.Drop(attempt);  // plugins that have finished want no answers
    if (attempt.elsewhere == 0) StartBind(attempt);
  }
}

void BindingCycle::CancelPreBind(Attempt& attempt, Status failure) {
  attempt.progress.Take(Step::Cancel);
  attempt.failure = std::move(failure);
  attempt.pre_bind_run->Reset();
  wakes_.Update(attempt, attempt.pre_bind_run->wake_at(), attempt.pre_bind_run->wake_on());
  work_.Drop(attempt);
  if (attempt.elsewhere != 0) return;  // the plugins' state is still in use
  endings_.FailWhileBinding(attempt, attempt.failure);
}

void BindingCycle::ObjectChanged(const api::Object& object) {
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

void BindingCycle::Tick() {
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

void BindingCycle::StartBind(Attempt& attempt) {
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

void BindingCycle::BindMoved(Attempt& attempt, std::optional<Status> outcome) {
  wakes_.Update(attempt, attempt.bind_run->wake_at(), attempt.bind_run->wake_on());
  if (!outcome) return;
  work_.Drop(attempt);
  if (attempt.bind_work != 0 || attempt.elsewhere != 0) {
    attempt.bind_outcome = std::move(outcome);
  } else {
    BindEnded(attempt, *outcome);
  }
}

void BindingCycle::BindEnded(Attempt& attempt, const Status& outcome) {
  if (outcome.ok()) {
    endings_.Confirm(attempt);
  } else {
    endings_.FailWhileBinding(attempt, outcome);
  }
}

void BindingCycle::WriteBinding(Attempt& attempt) {
  attempt.binding = engine_.commands.Bind(attempt.pod->pod, attempt.node);
  // A patch that the binding has absorbed is not written: it is asked for again if the binding fails.
  const std::string_view uid = PodUid(*attempt.pod->pod);
  const home::Ticket patch = engine_.shadow.Pending(uid);
  if (patch != home::kNoTicket && !engine_.commands.IsOpen(patch)) engine_.shadow.NotWritten(uid, patch);
}

void BindingCycle::PatchEnded(const Commands::Ending& ending) {
  if (const std::optional<AttemptWork::Owner> owner = work_.PatchEnded(ending.ticket)) {
    Answer(*owner->attempt, owner->ticket, AnswerOf(ending));
  }
}

void BindingCycle::Answer(Attempt& attempt, WorkTicket ticket, Result<std::string> answer) {
  if (attempt.progress.is(Stage::PreBind)) {
    PreBindMoved(attempt, attempt.pre_bind_run->Answer(ticket, std::move(answer)));
  } else if (attempt.progress.is(Stage::Binding) || attempt.progress.is(Stage::Unknown)) {
    BindMoved(attempt, attempt.bind_run->Answer(ticket, std::move(answer)));
  }
}

void BindingCycle::BindingEnded(Attempt& attempt, const Commands::Ending& ending) {
  attempt.binding = home::kNoTicket;
  if (std::holds_alternative<home::BindPod>(ending.command)) {
    Written(attempt, ending);
  } else {
    LookedUp(attempt, ending);
  }
}

void BindingCycle::Written(Attempt& attempt, const Commands::Ending& ending) {
  if (ending.outcome == Outcome::Done) {
    Settle(attempt, Status::Success());
  } else if (ending.outcome != Outcome::Unknown) {
    Settle(attempt, Status::FromError(ending.error));
  } else {
    attempt.progress.Take(Step::Lose);
    attempt.binding = engine_.commands.LookUp(attempt.pod->pod);
  }
}

void BindingCycle::LookedUp(Attempt& attempt, const Commands::Ending& ending) {
  if (ending.outcome == Outcome::Done && ending.answer == attempt.node_name()) {
    Settle(attempt, Status::Success());
  } else if (ending.outcome == Outcome::Done && ending.answer.empty() && ++attempt.lost_answers < kLostAnswers) {
    attempt.progress.Take(Step::Resume);
    WriteBinding(attempt);
  } else if (ending.outcome == Outcome::Done) {
    const char* why = ending.answer.empty() ? "it was not written" : "the pod is on another node";
    Settle(attempt, Status::FromError(fmt::format("binding failed without an answer: {}", why)));
  } else if (ending.outcome == Outcome::Gone) {
    Settle(attempt, Status::FromError(ending.error));
  } else {
    // Giving up could place the pod twice.
    attempt.binding = engine_.commands.LookUp(attempt.pod->pod, /*again=*/true);
  }
}

void BindingCycle::Settle(Attempt& attempt, const Status& status) {
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
  attempt.profile->plugins().NoteStep("Bind", status.code(), steady_clock::now() - attempt.binding_since);
  if (status.ok()) {
    endings_.Confirm(attempt);
  } else {
    endings_.FailWhileBinding(attempt, attempt.profile->binding().DefaultBindFailure(status));
  }
}

void BindingCycle::CancelBinding(Attempt& attempt, std::string_view why) {
  if (attempt.binding == home::kNoTicket || engine_.commands.IsUnderWay(attempt.binding)) return;
  engine_.commands.Forget(attempt.binding);
  attempt.binding = home::kNoTicket;
  Settle(attempt, Status::FromError(fmt::format("the pod is {}", why)));
}

void BindingCycle::Resolve(Attempt& attempt, const Status& status) {
  engine_.commands.Forget(attempt.binding);
  attempt.binding = home::kNoTicket;
  Settle(attempt, status);
}

void BindingCycle::WorkEnded(Attempt& attempt, const WorkDone& done) {
  AttemptWork::Returned(attempt, done.ticket);
  switch (attempt.progress.stage()) {
    case Stage::Confirmed: endings_.PostBindReturned(attempt); break;
    case Stage::Cancelling:
      if (attempt.elsewhere == 0) endings_.FailWhileBinding(attempt, attempt.failure);
      break;
    case Stage::PreBind:
      if (attempt.pre_bind_run->is_running()) {
        Answer(attempt, done.ticket, AnswerOf(done.status));
      } else if (attempt.elsewhere == 0) {
        StartBind(attempt);
      }
      break;
    default:
      if (!attempt.bind_outcome) {
        Answer(attempt, done.ticket, AnswerOf(done.status));
      } else if (attempt.elsewhere == 0 && attempt.bind_work == 0) {
        BindEnded(attempt, *attempt.bind_outcome);
      }
  }
}

void BindingCycle::Answered(Attempt& attempt, const WorkAnswered& answered) {
  if (!AttemptWork::Answered(attempt, answered.ticket)) return;
  if (attempt.progress.is(Stage::PreBind) || !attempt.bind_outcome) Answer(attempt, answered.ticket, answered.answer);
}

}  // namespace berth::scheduler
