// SPDX-License-Identifier: Apache-2.0
#include "metrics/scheduler_metrics.h"

#include "metrics/scheduler_families.h"

#include <algorithm>
#include <array>

namespace berth::metrics {
namespace {

// The label value of an enumerator, from a list in the enumeration's order.
template <typename Enum, size_t Count>
std::string_view NameOf(const std::array<std::string_view, Count>& names, Enum value) {
  return names[static_cast<size_t>(value)];
}

constexpr std::array<std::string_view, 3> kAttemptResults = {"scheduled", "unschedulable", "error"};
constexpr std::array<std::string_view, 4> kGroupResults = {"scheduled", "unschedulable", "waiting_on_preemption",
                                                           "error"};
constexpr std::array<std::string_view, 4> kQueues = {"active", "backoff", "unschedulable", "gated"};
constexpr std::array<std::string_view, 3> kHintResults = {"Queue", "QueueSkip", "Error"};
constexpr std::array<std::string_view, 3> kCacheTypes = {"nodes", "pods", "assumed_pods"};
constexpr std::array<std::string_view, 2> kAsyncCalls = {"pod_status_patch", "pod_binding"};
// High counts share one label value; otherwise a pod that never fits would create a new series with every attempt.
constexpr std::array<std::string_view, 16> kAttempts = {"0", "1", "2",  "3",  "4",  "5",  "6",  "7",
                                                        "8", "9", "10", "11", "12", "13", "14", "15+"};

std::string_view SuccessOrError(bool success) { return success ? "success" : "error"; }

int64_t Amount(size_t count) { return static_cast<int64_t>(count); }

}  // namespace

SchedulerMetrics::SchedulerMetrics() : families_(std::make_unique<Families>()) {
  for (const std::string_view queue : kQueues) families_->pending_pods.With(queue);
}

SchedulerMetrics::~SchedulerMetrics() = default;

void SchedulerMetrics::Attempt(AttemptResult result, std::string_view profile, Duration took) {
  const std::string_view name = NameOf(kAttemptResults, result);
  families_->schedule_attempts.With(name, profile).Increment();
  families_->attempt_duration.With(name, profile).Observe(took.count());
}

void SchedulerMetrics::Algorithm(Duration took) { families_->algorithm_duration.With().Observe(took.count()); }

void SchedulerMetrics::PodScheduled(int attempts, Duration since_first_seen, bool after_flush) {
  const int label = std::clamp(attempts, 0, static_cast<int>(kAttempts.size()) - 1);
  families_->pod_sli_duration.With(kAttempts[static_cast<size_t>(label)]).Observe(since_first_seen.count());
  families_->pod_attempts.With().Observe(attempts);
  if (after_flush) families_->scheduled_after_flush.With().Increment();
}

void SchedulerMetrics::PreemptionAttempt() { families_->preemption_attempts.With().Increment(); }

void SchedulerMetrics::PreemptionVictims(size_t victims) {
  families_->preemption_victims.With().Observe(Amount(victims));
}

void SchedulerMetrics::ExtensionPoint(std::string_view point, std::string_view status, std::string_view profile,
                                      Duration took) {
  families_->extension_point_duration.With(point, status, profile).Observe(took.count());
}

void SchedulerMetrics::PluginRun(std::string_view plugin, std::string_view point, std::string_view status,
                                 Duration took) {
  families_->plugin_duration.With(plugin, point, status).Observe(took.count());
}

void SchedulerMetrics::PluginEvaluated(std::string_view plugin, std::string_view point, std::string_view profile) {
  PluginEvaluations(plugin, point, profile).Increment();
}

Counter& SchedulerMetrics::PluginEvaluations(std::string_view plugin, std::string_view point,
                                             std::string_view profile) {
  return families_->plugin_evaluations.With(plugin, point, profile);
}

void SchedulerMetrics::SetPending(QueueName queue, size_t pods) {
  families_->pending_pods.With(NameOf(kQueues, queue)).Set(Amount(pods));
}

void SchedulerMetrics::Incoming(QueueName queue, std::string_view event) {
  families_->incoming_pods.With(NameOf(kQueues, queue), event).Increment();
}

void SchedulerMetrics::Hint(std::string_view plugin, std::string_view event, HintResult result, Duration took,
                            uint64_t times) {
  families_->hint_duration.With(plugin, event, NameOf(kHintResults, result)).Observe(took.count(), times);
}

void SchedulerMetrics::SetInFlightEvents(std::string_view event, size_t count) {
  families_->in_flight_events.With(event).Set(Amount(count));
}

void SchedulerMetrics::EventHandled(std::string_view event, Duration took) {
  families_->event_duration.With(event).Observe(took.count());
}

void SchedulerMetrics::AddUnschedulable(std::string_view plugin, std::string_view profile, int64_t delta) {
  families_->unschedulable_pods.With(plugin, profile).Add(delta);
}

void SchedulerMetrics::PermitWait(std::string_view result, Duration took) {
  families_->permit_wait_duration.With(result).Observe(took.count());
}

void SchedulerMetrics::SetCacheSize(CacheType type, size_t count) {
  families_->cache_size.With(NameOf(kCacheTypes, type)).Set(Amount(count));
}

void SchedulerMetrics::SetBackgroundWork(std::string_view operation, size_t count) {
  families_->background_work.With(operation).Set(Amount(count));
}

void SchedulerMetrics::PreemptionWork(bool success, Duration took) {
  families_->preemption_work.With(SuccessOrError(success)).Increment();
  families_->preemption_work_duration.With(SuccessOrError(success)).Observe(took.count());
}

void SchedulerMetrics::AsyncCallDone(AsyncCall call, std::string_view result, Duration took) {
  families_->async_calls.With(NameOf(kAsyncCalls, call), result).Increment();
  families_->async_call_duration.With(NameOf(kAsyncCalls, call), result).Observe(took.count());
}

void SchedulerMetrics::SetPendingAsyncCalls(AsyncCall call, size_t count) {
  families_->pending_async_calls.With(NameOf(kAsyncCalls, call)).Set(Amount(count));
}

void SchedulerMetrics::Problem(std::string_view problem) { families_->problems.With(problem).Increment(); }

void SchedulerMetrics::RemoteCall(std::string_view plugin, std::string_view step, std::string_view result,
                                  Duration took) {
  families_->remote_calls.With(plugin, step, result).Increment();
  families_->remote_call_duration.With(plugin, step).Observe(took.count());
}

void SchedulerMetrics::SetRemoteState(std::string_view plugin, std::string_view profile, bool connected,
                                      bool suspended) {
  families_->remote_connected.With(plugin, profile).Set(connected ? 1 : 0);
  families_->remote_suspended.With(plugin, profile).Set(suspended ? 1 : 0);
}

void SchedulerMetrics::RemoteBytes(std::string_view plugin, uint64_t sent, uint64_t received) {
  if (sent != 0) families_->remote_bytes.With(plugin, "sent").Increment(sent);
  if (received != 0) families_->remote_bytes.With(plugin, "received").Increment(received);
}

void SchedulerMetrics::RemoteStray(std::string_view plugin, std::string_view kind) {
  families_->remote_strays.With(plugin, kind).Increment();
}

void SchedulerMetrics::BatchAttempt(std::string_view profile, std::string_view result) {
  families_->batch_attempts.With(profile, result).Increment();
}

void SchedulerMetrics::BatchFlushed(std::string_view profile, std::string_view reason) {
  families_->batch_flushes.With(profile, reason).Increment();
}

void SchedulerMetrics::NodeHint(bool hinted, std::string_view profile, Duration took) {
  families_->node_hint_duration.With(hinted ? "hint" : "no_hint", profile).Observe(took.count());
}

void SchedulerMetrics::ResultsStored(std::string_view profile, Duration took) {
  families_->store_results_duration.With(profile).Observe(took.count());
}

void SchedulerMetrics::ResourceClaimCreated(bool success) {
  families_->claim_creates.With(success ? "success" : "failure").Increment();
}

void SchedulerMetrics::BindingConditionsAllocated(std::string_view profile, std::string_view driver,
                                                  std::string_view status) {
  families_->binding_conditions.With(profile, driver, status).Increment();
}

void SchedulerMetrics::BindingConditionsWait(std::string_view profile, std::string_view driver, std::string_view status,
                                             Duration took) {
  families_->binding_conditions_wait.With(profile, driver, status).Observe(took.count());
}

void SchedulerMetrics::GroupAttempt(GroupResult result, std::string_view profile, Duration took) {
  families_->group_attempts.With(NameOf(kGroupResults, result), profile).Increment();
  families_->group_attempt_duration.With(NameOf(kGroupResults, result), profile).Observe(took.count());
}

void SchedulerMetrics::GroupAlgorithm(Duration took) {
  families_->group_algorithm_duration.With().Observe(took.count());
}

void SchedulerMetrics::VolumeBinderCacheRequest(std::string_view operation) {
  families_->binder_cache_requests.With(operation).Increment();
}

void SchedulerMetrics::VolumeStageError(std::string_view operation) {
  families_->volume_stage_errors.With(operation).Increment();
}

std::string SchedulerMetrics::Expose() const { return TextOf(families_->all); }

}  // namespace berth::metrics
