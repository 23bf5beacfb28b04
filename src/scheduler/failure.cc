// SPDX-License-Identifier: Apache-2.0
// What becomes of a pod that could not be placed or bound: back to the queue, and users are told why.
#include "framework/fit_error.h"
#include "metrics/scheduler_metrics.h"
#include "scheduler/engine.h"
#include "scheduler/engine_failure.h"

#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::Code;
using framework::PodInfoPtr;
using framework::PodUid;
using framework::Status;
using Mode = framework::PostFilterResult::Mode;

namespace {

constexpr size_t kMaxEventNote = 1024;  // the API's limit

std::string Shortened(const std::string& message) {
  constexpr std::string_view kEnding = " ...";
  if (message.size() <= kMaxEventNote) return message;
  return message.substr(0, kMaxEventNote - kEnding.size()).append(kEnding);
}

}  // namespace

Engine::Failure Engine::FailureOf(const Decision& decision, Duration took) {
  Failure failure;
  failure.rejected = decision.outcome == Decision::Outcome::Unschedulable;
  failure.rejectors = decision.rejectors;
  failure.pending = decision.pending;
  failure.message = decision.message;
  failure.took = took;
  if (decision.ran_post_filter) {
    failure.nominating = decision.post_filter.mode;
    failure.nominated_node = decision.post_filter.nominated_node;
  }
  return failure;
}

// A verdict on the chosen node alone reads like one on all nodes of a cluster of one.
Engine::Failure Engine::FailureOf(const Status& status) {
  Failure failure;
  failure.rejected = status.is_rejected();
  failure.message = status.Message();
  if (failure.rejected) {
    framework::ReasonCounts reasons;
    for (const std::string& reason : status.reasons()) ++reasons[reason];
    failure.message = framework::NoNodesAvailable(1, reasons);
    if (!status.plugin().empty()) failure.rejectors = {std::string(status.plugin())};
    if (status.code() == Code::Pending) failure.pending = failure.rejectors;
  }
  return failure;
}

void Engine::FailAttempt(Attempt& attempt, const Status& status, bool in_binding_cycle) {
  AttemptNode node = TakeAttempt(attempt);
  const runtime::Profile& profile = *attempt.profile;
  const std::string uid(PodUid(*attempt.pod->pod));
  profile.RunUnreserve(attempt.state, *attempt.pod, attempt.node);
  if (attempt.assumed) cluster_.RemovePod(uid);
  Failure failure = FailureOf(status);
  failure.took = std::chrono::steady_clock::now() - attempt.started;
  // Other pods had to reckon with this one since its cycle ended. After an error the freed room is news for the pod
  // itself, too; after a verdict it must not wake itself.
  const bool wakes_others = attempt.assumed && in_binding_cycle;
  const api::PodPtr placed = wakes_others ? WithNode(*attempt.pod->pod, attempt.node) : nullptr;
  if (wakes_others && !failure.rejected) WakeByFreedRoom(placed);
  if (attempt.gone || attempt.assigned) {
    Abandon(attempt, failure);
  } else {
    attempt.queued->pod = attempt.latest;
    Fail(std::move(attempt.queued), profile, failure);
  }
  if (wakes_others && failure.rejected) WakeByFreedRoom(placed, {}, uid);
  Recycle(std::move(node));
}

// The pod is gone, or on a node by somebody else's doing: there is nothing to try again.
void Engine::Abandon(Attempt& attempt, const Failure& failure) {
  const api::Pod& pod = *attempt.latest->pod;
  queue_->Done(PodUid(pod));
  CountFailure(*attempt.profile, failure);
  Report(*attempt.profile, pod, "Warning", "FailedScheduling", "Scheduling", Shortened(failure.message));
}

void Engine::CountFailure(const runtime::Profile& profile, const Failure& failure) {
  ++(failure.rejected ? counts_.unschedulable : counts_.errors);
  if (links_.metrics == nullptr) return;
  links_.metrics->Attempt(failure.rejected ? metrics::AttemptResult::Unschedulable : metrics::AttemptResult::Error,
                          profile.profile_name(), failure.took);
}

void Engine::Fail(queue::QueuedPodPtr queued, const runtime::Profile& profile, const Failure& failure) {
  CountFailure(profile, failure);
  const PodInfoPtr pod = queued->pod;
  queue_->Return(std::move(queued), {failure.rejectors.empty(), failure.rejectors, failure.pending});
  Nominate(pod, failure);
  Report(profile, *pod->pod, "Warning", "FailedScheduling", "Scheduling", Shortened(failure.message));
  PatchFailedStatus(*pod->pod, failure);
}

void Engine::Nominate(const PodInfoPtr& pod, const Failure& failure) {
  const std::string& node =
      failure.nominating == Mode::Override ? failure.nominated_node : pod->pod->status->nominated_node_name;
  nominated_.Remove(PodUid(*pod->pod));
  if (!node.empty()) nominated_.Add(pod, node);
}

void Engine::PatchFailedStatus(const api::Pod& pod, const Failure& failure) {
  StatusPatch patch;
  const char* reason = failure.rejected ? "Unschedulable" : "SchedulerError";
  const api::Condition* present = pod.FindCondition("PodScheduled");
  if (present == nullptr || present->status != "False" || present->reason != reason ||
      present->message != failure.message) {
    patch.condition = api::Condition{"PodScheduled", "False", reason, failure.message};
    patch.observed_generation = pod.meta.generation;
  }
  if (failure.nominating == Mode::Override && pod.status->nominated_node_name != failure.nominated_node) {
    patch.nominated_node = failure.nominated_node;
  }
  if (patch.empty()) return;
  patch.pod = OutboxWriter::KeyOf(pod);
  patch.uid = PodUid(pod);
  links_.outbox->PatchStatus(std::move(patch));
}

}  // namespace berth::scheduler
