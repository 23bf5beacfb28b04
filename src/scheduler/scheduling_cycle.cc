// SPDX-License-Identifier: Apache-2.0
// One scheduling cycle: pop a pod, decide, assume it on its node, and send it on its way.
#include "framework/pods_to_activate.h"
#include "metrics/scheduler_metrics.h"
#include "scheduler/engine.h"
#include "scheduler/engine_failure.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::Code;
using framework::PodUid;
using framework::Status;
using std::chrono::steady_clock;

bool Engine::ScheduleOne() {
  if (!synced_ || links_.outbox->full()) return false;
  queue::QueuedPodPtr queued = queue_->Pop();
  if (queued == nullptr) return false;
  const steady_clock::time_point started = steady_clock::now();
  const runtime::Profile& profile = *profiles_[queued->profile];
  const api::Pod& pod = **queued->pod;
  if (pod.is_terminating()) {
    Report(profile, pod, "Warning", "FailedScheduling", "Scheduling",
           fmt::format("skip schedule deleting pod: {}/{}", pod.meta.namespace_, pod.meta.name));
    queue_->Done(PodUid(pod));
    return true;
  }
  ++counts_.attempts;
  cluster_.BeginCycle();
  std::vector<runtime::PluginScores> scores;
  const Decision decision = DecideOn(*queued, profile, scores);
  const Duration took = steady_clock::now() - started;
  if (links_.metrics != nullptr) {
    links_.metrics->Algorithm(took);
    if (decision.ran_post_filter) links_.metrics->Preemption(writers_[queued->profile]->TakeEvicted());
  }
  LogDecision(*queued, profile, decision, scores, took);
  if (decision.outcome == Decision::Outcome::Placed) {
    Place(std::move(queued), profile, decision, started);
  } else {
    Fail(std::move(queued), profile, FailureOf(decision, took));
  }
  return true;
}

Decision Engine::DecideOn(const queue::QueuedPod& queued, const runtime::Profile& profile,
                          std::vector<runtime::PluginScores>& scores) {
  DecideOptions options;
  if (options_.record_scores) options.score_detail = &scores;
  options.sampling = samplings_[queued.profile].get();
  // Sampling looks at other nodes every time.
  if (!options_.repeat_failures || options.sampling != nullptr) {
    return Decide(profile, *queued.pod, cycle_, rng_, options);
  }
  const RepeatedFailures::Moment moment{cluster_.journal().revision(), nominated_.revision()};
  if (const RepeatedFailures::Failure* known = failures_.Find(profile, *queued.pod, moment)) {
    cycle_.Reset();
    cycle_.verdicts = known->verdicts;
    return known->decision;
  }
  Decision decision = Decide(profile, *queued.pod, cycle_, rng_, options);
  failures_.Note(profile, *queued.pod, moment, decision, cycle_.verdicts);
  return decision;
}

void Engine::Place(queue::QueuedPodPtr queued, const runtime::Profile& profile, const Decision& decision,
                   steady_clock::time_point started) {
  Attempt& attempt = NewAttempt(std::move(queued));
  attempt.profile = &profile;
  attempt.node = cluster_.node(decision.node).name();
  attempt.stage = Attempt::Stage::Permit;  // in flight until every Permit plugin has agreed
  std::swap(attempt.state, cycle_.state);
  attempt.decided = links_.clock->Now();
  attempt.started = started;

  // From here on other pods see it on its node, though the store does not know yet.
  cluster_.PlacePod(attempt.pod, attempt.node);
  nominated_.Remove(PodUid(*attempt.pod->pod));
  Status status = profile.RunReserve(attempt.state, *attempt.pod, attempt.node);
  std::map<std::string, Duration> waits;
  if (status.ok()) status = profile.RunPermit(attempt.state, *attempt.pod, attempt.node, waits);
  const bool waits_at_permit = status.code() == Code::Wait;
  if (!status.ok() && !waits_at_permit) {
    FailAttempt(attempt, status, /*in_binding_cycle=*/false);
    return;
  }
  ActivateStashed(attempt.state);

  const Status pre_flight = profile.RunPreBindPreFlight(attempt.state, *attempt.pod, attempt.node, attempt.pre_bind);
  attempt.has_pre_bind = pre_flight.ok();
  if (attempt.has_pre_bind) attempt.stop = std::stop_source();
  if (!pre_flight.ok() && !pre_flight.is_skip()) {
    FailAttempt(attempt, pre_flight, /*in_binding_cycle=*/true);
    return;
  }
  if (attempt.has_pre_bind || waits_at_permit) AnnounceNode(attempt);
  if (waits_at_permit) {
    waiting_.Add(attempt.pod, waits);
  } else {
    GoOnToBinding(attempt);
  }
}

// The pod may take long to get there: whoever watches, a cluster autoscaler for one, should know where it will be.
void Engine::AnnounceNode(const Attempt& attempt) {
  const api::Pod& pod = *attempt.pod->pod;
  if (pod.status->nominated_node_name == attempt.node) return;
  StatusPatch patch;
  patch.pod = OutboxWriter::KeyOf(pod);
  patch.uid = PodUid(pod);
  patch.nominated_node = attempt.node;
  links_.outbox->PatchStatus(std::move(patch));
}

void Engine::GoOnToBinding(Attempt& attempt) {
  attempt.stage = Attempt::Stage::Binding;
  queue_->Done(PodUid(*attempt.pod->pod));
  links_.binding->Start(attempt);
}

void Engine::ActivateStashed(framework::CycleState& state) {
  framework::PodsToActivate* stashed = state.Mutable(framework::kPodsToActivate);
  if (stashed == nullptr || stashed->uids.empty()) return;
  queue_->Activate(stashed->uids);
  stashed->uids.clear();
}

void Engine::LogDecision(const queue::QueuedPod& queued, const runtime::Profile& profile, const Decision& decision,
                         const std::vector<runtime::PluginScores>& scores, Duration took) {
  if (shared_node_names_ == nullptr) shared_node_names_ = std::make_shared<const NodeNames>(node_names_);
  log_.Add([&](DecisionRecord& record) {
    const api::Pod& pod = **queued.pod;
    record.time = links_.clock->Now();
    record.cluster_revision = cluster_.journal().revision();
    record.pod.assign(pod.meta.namespace_).append("/").append(pod.meta.name);
    record.uid = PodUid(pod);
    record.profile = profile.profile_name();
    record.attempt = queued.attempts;
    record.node_names = shared_node_names_;
    record.took = took;
    DescribeDecision(decision, cycle_, cluster_, scores, record);
  });
}

}  // namespace berth::scheduler
