// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduling_cycle.h"

#include "framework/node_info.h"
#include "metrics/scheduler_metrics.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::PodUid;
using std::chrono::steady_clock;

namespace {

constexpr int kScoreVerbosity = 10;  // kube-scheduler's

}  // namespace

SchedulingCycle::SchedulingCycle(EngineState& engine, Attempts& attempts, FailureHandler& failures,
                                 Evictions& evictions, ClusterUpdates& updates, HeldCycle& held,
                                 Consultations& consultations)
    : engine_(engine),
      attempts_(attempts),
      failures_(failures),
      evictions_(evictions),
      updates_(updates),
      held_(held),
      consultations_(consultations),
      rng_(engine.options.seed),
      log_(engine.options.log_capacity) {
  for (const auto& profile : engine.profiles) {
    const int32_t percentage = profile->plan().percentage_of_nodes_to_score.value_or(0);
    const bool samples = percentage > 0 && percentage < 100;
    samplings_.push_back(samples ? std::make_unique<NodeSampling>(percentage) : nullptr);
    extender_samplings_.push_back(percentage < 100 ? std::make_unique<NodeSampling>(percentage) : nullptr);
  }
}

bool SchedulingCycle::RunOne() {
  if (held_.is_held()) return held_.TryEnd();
  if (std::optional<Consultations::Ready> ready = consultations_.TakeReady()) {
    GoOn(*std::move(ready));
    return true;
  }
  if (consultations_.holds_all()) return false;
  queue::QueuedPodPtr queued = engine_.queue->Pop(consultations_.closed());
  if (queued == nullptr) return false;
  const runtime::Profile& profile = *engine_.profiles[queued->profile];
  return Begin(std::move(queued), profile);
}

bool SchedulingCycle::Begin(queue::QueuedPodPtr queued, const runtime::Profile& profile) {
  const steady_clock::time_point started = steady_clock::now();
  const api::Pod& pod = **queued->pod;
  if (pod.is_terminating()) {
    engine_.log.V(3).Info("Skip schedule deleting pod", {{"pod", NameOf(pod)}});
    engine_.Report(profile, queued->pod->pod, "Warning", "FailedScheduling", "Scheduling",
                   fmt::format("skip schedule deleting pod: {}/{}", pod.meta.namespace_, pod.meta.name));
    engine_.queue->Done(PodUid(pod));
    return true;
  }
  engine_.log.V(3).Info("Attempting to schedule pod", {{"pod", NameOf(pod)}});
  ++engine_.counts.attempts;
  std::unique_ptr<Consultation> consultation = consultations_.For(*queued->pod);
  Run(std::move(queued), profile, std::move(consultation), started);
  return true;
}

// The pod is decided on as it is by now, unless somebody else has placed or deleted it.
void SchedulingCycle::GoOn(Consultations::Ready ready) {
  const bool still_waits = ready.pod.standing() == FlyingPod::Standing::Waiting;
  queue::QueuedPodPtr queued = ready.pod.Land();
  if (still_waits && !queued->pod->pod->is_terminating()) {
    Run(std::move(queued), *ready.pod.profile, std::move(ready.consultation), ready.pod.started);
    return;
  }
  const std::string_view uid = PodUid(*queued->pod->pod);
  engine_.queue->Done(uid);
  engine_.shadow.Forget(uid);
}

void SchedulingCycle::Run(queue::QueuedPodPtr queued, const runtime::Profile& profile,
                          std::unique_ptr<Consultation> consultation, steady_clock::time_point started) {
  engine_.cluster.BeginCycle();
  std::vector<runtime::PluginScores> scores;
  consultations_.set_current(consultation.get());
  const Decision decision = DecideOn(*queued, profile, consultation.get(), scores);
  consultations_.set_current(nullptr);
  if (decision.asks) {
    consultations_.Hold(FlyingPod(std::move(queued), profile, started), std::move(consultation));
    return;
  }
  const Duration took = steady_clock::now() - started;
  Write(*queued, profile, decision, scores, took);
  LogScores(**queued->pod, scores);
  if (evictions_.are_awaited()) {
    held_.Hold(FlyingPod(std::move(queued), profile, started), FailureOf(decision, took));
    evictions_.BeginNoted();
    static_cast<void>(held_.TryEnd());
    return;
  }
  if (engine_.metrics != nullptr) engine_.metrics->Algorithm(took);
  if (decision.outcome == Decision::Outcome::Placed) {
    const size_t evaluated = cycle_.narrowed_to ? cycle_.narrowed_to->size() : engine_.cluster.node_count();
    attempts_.Begin(std::move(queued), profile, {decision.node, evaluated, cycle_.feasible.size()}, cycle_.state,
                    started);
  } else {
    failures_.Fail(std::move(queued), profile, FailureOf(decision, took));
  }
  evictions_.BeginNoted();
}

Decision SchedulingCycle::DecideOn(const queue::QueuedPod& queued, const runtime::Profile& profile,
                                   Consultation* consultation, std::vector<runtime::PluginScores>& scores) {
  DecideOptions options;
  if (engine_.options.record_scores || engine_.log.On(kScoreVerbosity)) options.score_detail = &scores;
  options.sampling = (consultation != nullptr ? extender_samplings_ : samplings_)[queued.profile].get();
  options.consultation = consultation;
  // Sampling looks at other nodes every time, and extenders may change their minds.
  if (!engine_.options.repeat_failures || options.sampling != nullptr || consultation != nullptr) {
    return Decide(profile, *queued.pod, cycle_, rng_, options);
  }
  const RepeatedFailures::Moment moment{engine_.cluster.journal().revision(), engine_.nominated.revision()};
  if (const RepeatedFailures::FailedDecision* known = repeated_.Find(profile, *queued.pod, moment)) {
    cycle_.Reset();
    cycle_.verdicts = known->verdicts;
    return known->decision;
  }
  Decision decision = Decide(profile, *queued.pod, cycle_, rng_, options);
  repeated_.Note(profile, *queued.pod, moment, decision, cycle_.verdicts);
  return decision;
}

void SchedulingCycle::Write(const queue::QueuedPod& queued, const runtime::Profile& profile, const Decision& decision,
                            const std::vector<runtime::PluginScores>& scores, Duration took) {
  const std::shared_ptr<const NodeNames>& node_names = updates_.node_names();
  log_.Add([&](DecisionRecord& record) {
    const api::Pod& pod = **queued.pod;
    record.time = engine_.clock.Now();
    record.cluster_revision = engine_.cluster.journal().revision();
    record.pod.assign(pod.meta.namespace_).append("/").append(pod.meta.name);
    record.uid = PodUid(pod);
    record.profile = profile.profile_name();
    record.attempt = queued.attempts;
    record.node_names = node_names;
    record.took = took;
    DescribeDecision(decision, cycle_, engine_.cluster, scores, record);
  });
}

void SchedulingCycle::LogScores(const api::Pod& pod, const std::vector<runtime::PluginScores>& scores) const {
  if (scores.empty() || !engine_.log.On(kScoreVerbosity)) return;
  const auto log = engine_.log.V(kScoreVerbosity);
  for (size_t i = 0; i < cycle_.feasible.size(); ++i) {
    const std::string_view node = engine_.cluster.node(cycle_.feasible[i]).name();
    for (const runtime::PluginScores& plugin : scores) {
      log.Info("Plugin scored node for pod",
               {{"pod", NameOf(pod)}, {"plugin", plugin.plugin}, {"node", node}, {"score", plugin.weighted[i]}});
    }
    log.Info("Calculated node's final score for pod",
             {{"pod", NameOf(pod)}, {"node", node}, {"score", cycle_.totals[i]}});
  }
}

}  // namespace berth::scheduler
