// SPDX-License-Identifier: Apache-2.0
#include "scheduler/attempt_endings.h"

#include "framework/node_info.h"
#include "framework/pods_to_activate.h"
#include "metrics/scheduler_metrics.h"

#include <chrono>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::Code;
using framework::PodUid;
using framework::Status;
using std::chrono::steady_clock;

void AttemptEndings::Confirm(Attempt& attempt) {
  attempt.progress.Take(Step::Confirm);
  ++engine_.counts.bound;
  const api::Pod& pod = *attempt.pod->pod;
  engine_.shadow.Forget(PodUid(pod));
  engine_.log.V(2).Info(engine_.options.writes ? "Successfully bound pod to node" : "Would bind pod to node",
                        {{"pod", NameOf(pod)},
                         {"node", attempt.node_name()},
                         {"evaluatedNodes", attempt.evaluated_nodes},
                         {"feasibleNodes", attempt.feasible_nodes}});
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
    Remove(attempt);
    return;
  }
  ++attempt.elsewhere;
  pool_.Start({std::string(PodUid(pod)), 0, {}, [&attempt](const std::stop_token&) {
                 attempt.profile->binding().RunPostBind(attempt.state, *attempt.pod, attempt.node_name());
                 return Status::Success();
               }});
}

// Until the home confirms the pod, the cluster counts it as assumed.
void AttemptEndings::Remove(Attempt& attempt) {
  ActivateStashed(attempt.state);
  if (attempt.progress.is(Standing::Assumed)) ++engine_.unconfirmed;
  attempts_.Remove(attempt);
}

void AttemptEndings::FailWhileBinding(Attempt& attempt, const Status& status) {
  FailInBindingCycle(attempt, FailureWhileBinding(status, steady_clock::now() - attempt.started));
}

void AttemptEndings::Fail(Attempt& attempt, const Failure& failure, bool in_binding_cycle) {
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

void AttemptEndings::ActivateStashed(framework::CycleState& state) {
  framework::PodsToActivate* stashed = state.Mutable(framework::kPodsToActivate);
  if (stashed == nullptr || stashed->uids.empty()) return;
  engine_.queue->Activate(stashed->uids);
  stashed->uids.clear();
}

}  // namespace berth::scheduler
