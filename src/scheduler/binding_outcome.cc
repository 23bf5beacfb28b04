// SPDX-License-Identifier: Apache-2.0
// What comes back to the engine from Permit and from the binding cycle.
#include "metrics/scheduler_metrics.h"
#include "scheduler/engine.h"
#include "scheduler/engine_failure.h"

#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::PodUid;
using framework::Status;

void Engine::OnPermitResolved(const std::string& uid) {
  Attempt* attempt = FindAttempt(uid);
  const std::optional<Status> verdict = waiting_.Take(uid);
  if (attempt == nullptr || !verdict) return;
  if (links_.metrics != nullptr) {
    links_.metrics->PermitWait(framework::CodeName(verdict->code()), links_.clock->Now() - attempt->decided);
  }
  if (verdict->ok()) {
    GoOnToBinding(*attempt);
  } else {
    FailAttempt(*attempt, *verdict, /*in_binding_cycle=*/true);
  }
}

void Engine::OnBindingFinished(Attempt& attempt, const Status& status) {
  if (!status.ok()) {
    FailAttempt(attempt, status, /*in_binding_cycle=*/true);
    return;
  }
  if (attempt.needs_post_bind) attempt.profile->RunPostBind(attempt.state, *attempt.pod, attempt.node);
  AttemptNode node = TakeAttempt(attempt);
  ++counts_.bound;
  const api::Pod& pod = *attempt.pod->pod;
  Report(*attempt.profile, pod, "Normal", "Scheduled", "Binding",
         fmt::format("Successfully assigned {}/{} to {}", pod.meta.namespace_, pod.meta.name, attempt.node));
  if (links_.metrics != nullptr) {
    const queue::QueuedPod& queued = *attempt.queued;
    links_.metrics->Attempt(metrics::AttemptResult::Scheduled, attempt.profile->profile_name(),
                            std::chrono::steady_clock::now() - attempt.started);
    links_.metrics->PodScheduled(queued.attempts, links_.clock->Now() - queued.first_attempt.value_or(attempt.decided),
                                 queued.was_flushed);
  }
  ActivateStashed(attempt.state);
  // Until the store tells of it, the cluster goes on counting the pod on our word. A pod that the store has dropped
  // meanwhile is not counted any more already.
  Recycle(std::move(node));
}

}  // namespace berth::scheduler
