// SPDX-License-Identifier: Apache-2.0
#include "scheduler/failures.h"

#include "framework/fit_error.h"
#include "framework/node_info.h"
#include "metrics/scheduler_metrics.h"

#include <utility>

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

Failure FailureOf(const Decision& decision, Duration took) {
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

Failure FailureAtNode(const Status& status, Duration took) {
  Failure failure = FailureWhileBinding(status, took);
  if (!failure.rejected) return failure;
  framework::ReasonCounts reasons;
  for (const std::string& reason : status.reasons()) ++reasons[reason];
  failure.message = framework::NoNodesAvailable(1, reasons);
  if (!status.plugin().empty()) failure.rejectors = {std::string(status.plugin())};
  if (status.code() == Code::Pending) failure.pending = failure.rejectors;
  return failure;
}

Failure FailureWhileBinding(const Status& status, Duration took) {
  Failure failure;
  failure.rejected = status.is_rejected();
  failure.message = status.Message();
  failure.took = took;
  return failure;
}

void FailureHandler::Count(const runtime::Profile& profile, const Failure& failure) {
  ++(failure.rejected ? engine_.counts.unschedulable : engine_.counts.errors);
  if (engine_.metrics == nullptr) return;
  engine_.metrics->Attempt(failure.rejected ? metrics::AttemptResult::Unschedulable : metrics::AttemptResult::Error,
                           profile.profile_name(), failure.took);
}

void FailureHandler::Fail(queue::QueuedPodPtr queued, const runtime::Profile& profile, const Failure& failure) {
  Count(profile, failure);
  const PodInfoPtr before = queued->pod;
  if (failure.rejected) {
    engine_.log.V(2).Info("Unable to schedule pod; no fit; waiting",
                          {{"pod", NameOf(*before->pod)}, {"err", failure.message}});
  } else {
    engine_.log.Error("Error scheduling pod; retrying", {{"pod", NameOf(*before->pod)}, {"err", failure.message}});
  }
  home::PatchPodStatus patch =
      StatusPatchFor(before->pod, failure, /*was_lost=*/engine_.shadow.IsLost(PodUid(*before->pod)));
  const bool has_patch = patch.condition || patch.nominated_node;
  if (has_patch) {
    engine_.PatchStatus(patch);
    queued->pod = engine_.classes.InfoOf(engine_.shadow.Over(before->pod), before.get());
  }
  const PodInfoPtr pod = queued->pod;
  engine_.queue->Return(std::move(queued), {failure.rejectors.empty(), failure.rejectors, failure.pending});

  const std::string& nominated = pod->pod->status->nominated_node_name;
  const std::string& promised = failure.nominating == Mode::Override ? failure.nominated_node : nominated;
  engine_.nominated.Remove(PodUid(*pod->pod));
  if (!promised.empty()) engine_.nominated.Add(pod, promised);
  // The node it was nominated to before is available to others again.
  const std::string& earlier = before->pod->status->nominated_node_name;
  if (!earlier.empty() && earlier != nominated) engine_.WakeByFreedRoom(before->pod, before->pod->priority());

  engine_.Report(profile, pod->pod, "Warning", "FailedScheduling", "Scheduling", Shortened(failure.message));
}

void FailureHandler::Abandon(const framework::PodInfo& pod, const runtime::Profile& profile, const Failure& failure,
                             bool is_told) {
  engine_.queue->Done(PodUid(*pod.pod));
  engine_.shadow.Forget(PodUid(*pod.pod));
  Count(profile, failure);
  if (!is_told) return;
  engine_.Report(profile, pod.pod, "Warning", "FailedScheduling", "Scheduling", Shortened(failure.message));
}

home::PatchPodStatus FailureHandler::StatusPatchFor(const api::PodPtr& pod, const Failure& failure, bool was_lost) {
  home::PatchPodStatus patch;
  patch.pod = pod;
  const char* reason = failure.rejected ? "Unschedulable" : "SchedulerError";
  const api::Condition* present = pod->FindCondition("PodScheduled");
  if (was_lost || present == nullptr || present->status != "False" || present->reason != reason ||
      present->message != failure.message) {
    patch.condition = home::ConditionPatch{{"PodScheduled", "False", reason, failure.message}, pod->meta.generation};
  }
  const bool is_nominated = pod->status->nominated_node_name == failure.nominated_node;
  if (failure.nominating == Mode::Override && (was_lost || !is_nominated)) {
    patch.nominated_node = failure.nominated_node;
  }
  return patch;
}

}  // namespace berth::scheduler
