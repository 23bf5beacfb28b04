// SPDX-License-Identifier: Apache-2.0
#include "kube/home/kube_commands.h"

#include "kube/home/command_requests.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {

using home::Outcome;
using home::Submission;

namespace {

// An event says what has happened; it needs no lease.
bool NeedsTerms(const Submission& submission) {
  return submission.terms != nullptr && !std::holds_alternative<home::EventNote>(submission.command);
}

// The server refuses to bind a pod twice, and names the node that it has.
bool IsBoundThere(const ApiResponse& response, const api::Node& node) {
  return response.head.status == 409 &&
         ErrorOf(response).message.ends_with(fmt::format("is already assigned to node \"{}\"", node.meta.name));
}

// A server calls whatever fails in its storage a conflict, too, as "context deadline exceeded" or "rpc error: code =
// Unavailable": then the pod may have been bound. These are the refusals that come before anything is written.
bool IsUnclearConflict(const ApiError& error) {
  constexpr std::array<std::string_view, 5> kRefusals = {"is already assigned to node", "is being deleted",
                                                         "non-empty .spec.schedulingGates", "Precondition failed",
                                                         "the object has been modified"};
  return error.status == 409 && std::ranges::none_of(kRefusals, [&](std::string_view refusal) {
           return error.message.find(refusal) != std::string::npos;
         });
}

// How a refused or failed request counts.
Outcome OutcomeOf(const ApiResponse& response, const ApiError& error) {
  switch (response.end) {
    case net::ExchangeEnd::NotSent: return Outcome::NotDone;
    case net::ExchangeEnd::Unknown:
    case net::ExchangeEnd::Canceled: return Outcome::Unknown;
    case net::ExchangeEnd::Complete: break;
  }
  switch (error.status) {
    case 404: return Outcome::Gone;
    case 409: return error.message.find("UID in precondition") != std::string::npos ? Outcome::Gone : Outcome::Conflict;
    case 401:  // fresh credentials may do
    case 429: return Outcome::NotDone;
    case 422:
      // The uid is given as a precondition: another object has the name.
      return error.message.find("metadata.uid") != std::string::npos ? Outcome::Gone : Outcome::Refused;
    default: break;
  }
  // A server that says when to come back has not begun.
  if (error.status == 503 && response.RetryAfter().has_value()) return Outcome::NotDone;
  return error.status >= 500 ? Outcome::Unknown : Outcome::Refused;
}

}  // namespace

KubeCommands::KubeCommands(ApiClient& writes, ApiClient& events, const Clock& clock, std::string host, FindTold find)
    : writes_(writes), events_(events), clock_(clock), find_told_(std::move(find)), series_(std::move(host)) {}

void KubeCommands::Carry(Submission submission) {
  ++under_way_;
  const auto shared = std::make_shared<Submission>(std::move(submission));
  const home::Command& command = shared->command;
  if (std::holds_alternative<home::BindPod>(command)) return Bind(shared);
  if (finishing_) return Answer(*shared, Outcome::NotDone, "the scheduler is stopping");
  if (const auto* patch = std::get_if<home::PatchPodStatus>(&command)) return PatchStatus(shared, *patch);
  if (std::holds_alternative<home::EvictPod>(command)) return Evict(shared);
  if (std::holds_alternative<home::PatchObject>(command)) return Patch(shared);
  if (std::holds_alternative<home::EventNote>(command)) return Record(shared);
  LookUp(shared);
}

void KubeCommands::Send(const Shared& submission, ApiClient& client, ApiRequest request, ApiClient::Done done) {
  if (NeedsTerms(*submission))
    request.may_send = [&clock = clock_, terms = submission->terms] { return terms->hold(clock.Steady()); };
  client.Send(std::move(request), std::move(done));
}

void KubeCommands::Bind(const Shared& submission) {
  const auto& bind = std::get<home::BindPod>(submission->command);
  Send(submission, writes_, BindRequest(bind), [this, submission](ApiResponse& response) {
    if (response.ok() || IsBoundThere(response, *std::get<home::BindPod>(submission->command).node)) {
      return Answer(*submission, Outcome::Done);
    }
    const ApiError error = ErrorOf(response);
    if (IsUnclearConflict(error)) return SettleConflict(submission, error.message);
    AnswerFailure(*submission, response);
  });
}

// What the pod has now decides.
void KubeCommands::SettleConflict(const Shared& submission, const std::string& why) {
  const auto& bind = std::get<home::BindPod>(submission->command);
  writes_.Send(LookUpRequest({bind.pod}), [this, submission, why](ApiResponse& response) {
    const auto& wanted = std::get<home::BindPod>(submission->command);
    if (response.head.status == 404) return Answer(*submission, Outcome::Gone, why);
    const Result<FoundPod> found = response.ok() ? ReadFoundPod(response) : Result<FoundPod>(ToError(response));
    if (!found) return Answer(*submission, Outcome::Unknown, why);
    if (found->uid != wanted.pod->meta.uid) return Answer(*submission, Outcome::Gone, why);
    Answer(*submission, found->node == wanted.node->meta.name ? Outcome::Done : Outcome::Conflict, why);
  });
}

// When a condition last changed is judged by what the server has: the scheduler's own view is ahead of it.
home::PatchPodStatus KubeCommands::AsTold(home::PatchPodStatus patch) const {
  const api::ObjectMeta& meta = patch.pod->meta;
  if (const std::optional<api::Object> told = find_told_({"Pod", meta.namespace_, meta.name})) {
    const auto& pod = std::get<api::PodPtr>(*told);
    if (pod->meta.uid == meta.uid) patch.pod = pod;
  }
  return patch;
}

void KubeCommands::PatchStatus(const Shared& submission, const home::PatchPodStatus& patch) {
  Send(submission, writes_, StatusRequest(AsTold(patch), clock_.Now()), [this, submission](ApiResponse& response) {
    if (response.ok()) return Answer(*submission, Outcome::Done, {}, VersionIn(response));
    AnswerStatusFailure(*submission, response);
  });
}

// The mark first, so that whoever sees the pod go knows why; then the deletion.
void KubeCommands::Evict(const Shared& submission) {
  const auto& eviction = std::get<home::EvictPod>(submission->command);
  const api::Condition* present = eviction.pod->FindCondition(eviction.condition.condition.type);
  const api::Condition& wanted = eviction.condition.condition;
  if (present != nullptr && present->status == wanted.status && present->reason == wanted.reason &&
      present->message == wanted.message) {
    return Delete(submission);
  }
  const home::PatchPodStatus patch{eviction.pod, eviction.condition, {}};
  Send(submission, writes_, StatusRequest(AsTold(patch), clock_.Now()), [this, submission](ApiResponse& response) {
    if (response.ok()) return Delete(submission);
    AnswerStatusFailure(*submission, response);
  });
}

void KubeCommands::Delete(const Shared& submission) {
  const api::Pod& pod = *std::get<home::EvictPod>(submission->command).pod;
  Send(submission, writes_, DeleteRequest(pod), [this, submission](ApiResponse& response) {
    if (response.ok()) return Answer(*submission, Outcome::Done);
    AnswerFailure(*submission, response);
  });
}

void KubeCommands::Patch(const Shared& submission) {
  Result<ApiRequest> request = PatchRequest(std::get<home::PatchObject>(submission->command));
  if (!request) return Answer(*submission, Outcome::Refused, request.error().message);
  Send(submission, writes_, *std::move(request), [this, submission](ApiResponse& response) {
    if (response.ok()) return Answer(*submission, Outcome::Done, {}, VersionIn(response));
    AnswerFailure(*submission, response);
  });
}

void KubeCommands::LookUp(const Shared& submission) {
  const auto& question = std::get<home::LookUpPod>(submission->command);
  writes_.Send(LookUpRequest(question), [this, submission](ApiResponse& response) {
    const std::string& uid = std::get<home::LookUpPod>(submission->command).pod->meta.uid;
    if (!response.ok()) {
      const Outcome outcome = OutcomeOf(response, ErrorOf(response));
      // A question changes nothing: it can always be asked again.
      return Answer(*submission, outcome == Outcome::Unknown ? Outcome::NotDone : outcome, ErrorOf(response).message,
                    {}, response.RetryAfter());
    }
    Result<FoundPod> found = ReadFoundPod(response);
    if (!found) return Answer(*submission, Outcome::NotDone, found.error().message);
    if (found->uid != uid) return Answer(*submission, Outcome::Gone, "another pod has the name now");
    Answer(*submission, Outcome::Done, {}, std::move(found->node));
  });
}

void KubeCommands::Record(const Shared& submission) {
  const auto& note = std::get<home::EventNote>(submission->command);
  const EventWrite write = series_.Take(note);
  switch (write.type) {
    case EventWrite::Type::Nothing: return Answer(*submission, Outcome::Done);
    case EventWrite::Type::Count: return Count(submission, write);
    case EventWrite::Type::Create: break;
  }
  Send(submission, events_, EventRequest(note, write, series_.InstanceOf(note)),
       [this, submission](ApiResponse& response) {
         // An event of that name exists already: an earlier try wrote it.
         if (response.ok() || response.head.status == 409) return Answer(*submission, Outcome::Done);
         AnswerFailure(*submission, response);
       });
}

void KubeCommands::Count(const Shared& submission, const EventWrite& write) {
  Send(submission, events_, EventCountRequest(write), [this, submission, write](ApiResponse& response) {
    if (response.ok()) return Answer(*submission, Outcome::Done);
    if (response.head.status != 404) return AnswerFailure(*submission, response);
    // The event has been forgotten by the server: it is written anew, as a series.
    const auto& note = std::get<home::EventNote>(submission->command);
    Send(submission, events_, EventRequest(note, write, series_.InstanceOf(note)),
         [this, submission](ApiResponse& again) {
           if (again.ok()) return Answer(*submission, Outcome::Done);
           // It exists after all: it is counted with the next try.
           if (again.head.status == 409) return Answer(*submission, Outcome::NotDone, ErrorOf(again).message);
           AnswerFailure(*submission, again);
         });
  });
}

void KubeCommands::WriteSeries() {
  // So many at once delay events by no more than half a second at the usual rate.
  constexpr size_t kAtOnce = 25;
  if (finishing_ || counts_under_way_ > 0) return;
  for (const DueCount& due : series_.Due(clock_.Now(), kAtOnce)) {
    ++counts_under_way_;
    events_.Send(EventCountRequest(due.write), [this, due](ApiResponse& response) {
      if (response.head.status != 404) return SeriesAnswered(*due.note, response);
      // The server has forgotten the event: it is written anew, as a series.
      events_.Send(EventRequest(*due.note, due.write, series_.InstanceOf(*due.note)),
                   [this, note = due.note](ApiResponse& anew) { SeriesAnswered(*note, anew); });
    });
  }
}

void KubeCommands::SeriesAnswered(const home::EventNote& note, const ApiResponse& response) {
  const Outcome outcome = response.ok() ? Outcome::Done : OutcomeOf(response, ErrorOf(response));
  const bool may_be_tried_again = outcome == Outcome::NotDone || outcome == Outcome::Unknown;
  --counts_under_way_;
  // A server that fails is left alone until the next call.
  if (may_be_tried_again) return;
  series_.Wrote(note, clock_.Now());
  WriteSeries();
}

void KubeCommands::AnswerFailure(const Submission& submission, const ApiResponse& response) {
  ApiError error = ErrorOf(response);
  const Outcome outcome = OutcomeOf(response, error);
  Answer(submission, outcome, std::move(error.message), {}, response.RetryAfter());
}

// A status is written whatever version the pod has: a conflict is between others, and passes.
void KubeCommands::AnswerStatusFailure(const Submission& submission, const ApiResponse& response) {
  ApiError error = ErrorOf(response);
  if (OutcomeOf(response, error) != Outcome::Conflict) return AnswerFailure(submission, response);
  Answer(submission, Outcome::NotDone, std::move(error.message), {}, response.RetryAfter());
}

void KubeCommands::Answer(const Submission& submission, Outcome outcome, std::string error, std::string answer,
                          std::optional<Duration> retry_after) {
  // An event that was not written is taken anew when it is tried again.
  const auto* note = std::get_if<home::EventNote>(&submission.command);
  if (note != nullptr && outcome != Outcome::Done) series_.Forget(*note);
  completions_.push_back({submission.ticket, outcome, std::move(answer), std::move(error), retry_after});
  --under_way_;
  // Answers that come together are handed over together.
  if (std::exchange(flush_posted_, true)) return;
  writes_.loop().Post([this] { Flush(); });
}

void KubeCommands::Flush() {
  flush_posted_ = false;
  listener_->TakeCompletions(completions_);
  completions_.clear();
  if (under_way_ == 0 && idle_) std::exchange(idle_, nullptr)();
}

void KubeCommands::Finish(std::function<void()> idle) {
  finishing_ = true;
  if (under_way_ == 0 && completions_.empty()) return idle();
  idle_ = std::move(idle);
}

}  // namespace berth::kube
