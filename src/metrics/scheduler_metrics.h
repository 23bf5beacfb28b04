// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "metrics/cells.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace berth::metrics {

enum class AttemptResult : uint8_t { Scheduled, Unschedulable, Error };
enum class GroupResult : uint8_t { Scheduled, Unschedulable, WaitingOnPreemption, Error };
enum class QueueName : uint8_t { Active, Backoff, Unschedulable, Gated };
enum class HintResult : uint8_t { Queue, QueueSkip, Error };
enum class CacheType : uint8_t { Nodes, Pods, AssumedPods };
enum class AsyncCall : uint8_t { PodStatusPatch, PodBinding };

// The scheduler_* metrics of kube-scheduler, by the names and labels its users' dashboards know. Counting costs
// nanoseconds and takes no lock; Expose may run meanwhile. Any thread, every method.
//
// Profiles, plugins, events and the like are few and long-lived: each set of label values is looked up by content, and
// the first time it is seen it is kept for good, under a lock. So no label may carry a pod's or a node's name.
class SchedulerMetrics {
 public:
  SchedulerMetrics();
  ~SchedulerMetrics();
  SchedulerMetrics(const SchedulerMetrics&) = delete;
  SchedulerMetrics& operator=(const SchedulerMetrics&) = delete;

  // schedule_attempts_total, scheduling_attempt_duration_seconds
  void Attempt(AttemptResult result, std::string_view profile, Duration took);
  // scheduling_algorithm_duration_seconds
  void Algorithm(Duration took);
  // pod_scheduling_sli_duration_seconds, pod_scheduling_attempts, pod_scheduled_after_flush_total
  void PodScheduled(int attempts, Duration since_first_seen, bool after_flush);
  // preemption_attempts_total
  void PreemptionAttempt();
  // preemption_victims
  void PreemptionVictims(size_t victims);

  // framework_extension_point_duration_seconds
  void ExtensionPoint(std::string_view point, std::string_view status, std::string_view profile, Duration took);
  // plugin_execution_duration_seconds; the caller samples
  void PluginRun(std::string_view plugin, std::string_view point, std::string_view status, Duration took);
  // plugin_evaluation_total
  void PluginEvaluated(std::string_view plugin, std::string_view point, std::string_view profile);
  // The counter itself, for callers that count the same plugin in every cycle; valid as long as the metrics are.
  Counter& PluginEvaluations(std::string_view plugin, std::string_view point, std::string_view profile);

  // pending_pods
  void SetPending(QueueName queue, size_t pods);
  // queue_incoming_pods_total
  void Incoming(QueueName queue, std::string_view event);
  // queueing_hint_execution_duration_seconds; `times` hints that took as long
  void Hint(std::string_view plugin, std::string_view event, HintResult result, Duration took, uint64_t times = 1);
  // inflight_events
  void SetInFlightEvents(std::string_view event, size_t count);
  // event_handling_duration_seconds
  void EventHandled(std::string_view event, Duration took);
  // unschedulable_pods
  void AddUnschedulable(std::string_view plugin, std::string_view profile, int64_t delta);

  // permit_wait_duration_seconds
  void PermitWait(std::string_view result, Duration took);
  // cache_size
  void SetCacheSize(CacheType type, size_t count);
  // goroutines: work that runs beside the engine, by what it does ("binding", "DefaultPreemption")
  void SetBackgroundWork(std::string_view operation, size_t count);
  // preemption_goroutines_duration_seconds, preemption_goroutines_execution_total
  void PreemptionWork(bool success, Duration took);
  // async_api_call_execution_total and _duration_seconds, pending_async_api_calls
  void AsyncCallDone(AsyncCall call, std::string_view result, Duration took);
  void SetPendingAsyncCalls(AsyncCall call, size_t count);

  // berth_problems_total, which upstream has not: "unreadable_object", "command_refused"
  void Problem(std::string_view problem);

  // berth_remote_plugin_calls_total, berth_remote_plugin_call_duration_seconds
  void RemoteCall(std::string_view plugin, std::string_view step, std::string_view result, Duration took);
  // berth_remote_plugin_connected, berth_remote_plugin_suspended
  void SetRemoteState(std::string_view plugin, std::string_view profile, bool connected, bool suspended);
  // berth_remote_plugin_bytes_total
  void RemoteBytes(std::string_view plugin, uint64_t sent, uint64_t received);
  // berth_remote_plugin_stray_messages_total
  void RemoteStray(std::string_view plugin, std::string_view kind);

  // batch_attempts_total: "no_hint", "hint_used", "hint_not_used"
  void BatchAttempt(std::string_view profile, std::string_view result);
  // batch_cache_flushed_total
  void BatchFlushed(std::string_view profile, std::string_view reason);
  // get_node_hint_duration_seconds
  void NodeHint(bool hinted, std::string_view profile, Duration took);
  // store_schedule_results_duration_seconds
  void ResultsStored(std::string_view profile, Duration took);

  // resourceclaim_creates_total
  void ResourceClaimCreated(bool success);
  // dra_bindingconditions_allocations_total, dra_bindingconditions_wait_duration_seconds: "success", "failure",
  // "timeout", "error"
  void BindingConditionsAllocated(std::string_view profile, std::string_view driver, std::string_view status);
  void BindingConditionsWait(std::string_view profile, std::string_view driver, std::string_view status, Duration took);
  // podgroup_schedule_attempts_total, podgroup_scheduling_attempt_duration_seconds
  void GroupAttempt(GroupResult result, std::string_view profile, Duration took);
  // podgroup_scheduling_algorithm_duration_seconds
  void GroupAlgorithm(Duration took);
  // volume_binder_cache_requests_total
  void VolumeBinderCacheRequest(std::string_view operation);
  // volume_scheduling_stage_error_total: "predicate", "assume", "bind"
  void VolumeStageError(std::string_view operation);

  // Everything in Prometheus' text format.
  std::string Expose() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace berth::metrics
