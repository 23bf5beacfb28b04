// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/family.h"
#include "metrics/scheduler_metrics.h"

#include <vector>

namespace berth::metrics {

// Names, labels and buckets are upstream's, letter for letter: dashboards and alerts are made of them. What upstream
// does not have begins with berth_.
struct SchedulerMetrics::Families {
  using enum Stability;
  std::vector<const Family*> all;  // in the order below

  // Attempts and pods
  CounterFamily<2> schedule_attempts{all,
                                     Stable,
                                     "scheduler_schedule_attempts_total",
                                     "Attempts to place a pod by how they ended: scheduled, unschedulable (no node "
                                     "fits), error (the scheduler failed).",
                                     {"result", "profile"}};
  HistogramFamily<2> attempt_duration{all,
                                      Stable,
                                      "scheduler_scheduling_attempt_duration_seconds",
                                      "Time one attempt took, from taking the pod off the queue to the end of binding.",
                                      {"result", "profile"},
                                      SecondsBuckets(0.001, 2, 15)};
  HistogramFamily<0> algorithm_duration{all,
                                        Alpha,
                                        "scheduler_scheduling_algorithm_duration_seconds",
                                        "Time it took to find a node for a pod.",
                                        {},
                                        SecondsBuckets(0.001, 2, 15)};
  HistogramFamily<1> pod_sli_duration{all,
                                      Beta,
                                      "scheduler_pod_scheduling_sli_duration_seconds",
                                      "Time from a pod's first attempt until it was bound, by the attempts it needed.",
                                      {"attempts"},
                                      SecondsBuckets(0.01, 2, 20)};
  HistogramFamily<0> pod_attempts{all,
                                  Stable,
                                  "scheduler_pod_scheduling_attempts",
                                  "Attempts that pods needed until they were bound.",
                                  {},
                                  CountBuckets(1, 2, 5)};
  CounterFamily<0> scheduled_after_flush{
      all,
      Alpha,
      "scheduler_pod_scheduled_after_flush_total",
      "Pods that were bound after no event had woken them and only the timeout did: an event or a queueing hint may be "
      "missing.",
      {}};

  // Preemption
  CounterFamily<0> preemption_attempts{
      all, Stable, "scheduler_preemption_attempts_total", "Searches for pods to evict in favour of a pending one.", {}};
  HistogramFamily<0> preemption_victims{
      all, Stable, "scheduler_preemption_victims", "Pods chosen for eviction at once.", {}, CountBuckets(1, 2, 7)};
  HistogramFamily<1> preemption_work_duration{all,
                                              Alpha,
                                              "scheduler_preemption_goroutines_duration_seconds",
                                              "Time it took to evict the victims of one preemption in the background.",
                                              {"result"},
                                              SecondsBuckets(0.01, 2, 20)};
  CounterFamily<1> preemption_work{all,
                                   Alpha,
                                   "scheduler_preemption_goroutines_execution_total",
                                   "Preemptions carried out in the background.",
                                   {"result"}};

  // Plugins
  HistogramFamily<3> extension_point_duration{all,
                                              Stable,
                                              "scheduler_framework_extension_point_duration_seconds",
                                              "Time that all plugins of an extension point took together.",
                                              {"extension_point", "status", "profile"},
                                              SecondsBuckets(0.0001, 2, 12)};
  HistogramFamily<3> plugin_duration{all,
                                     Alpha,
                                     "scheduler_plugin_execution_duration_seconds",
                                     "Time one plugin took at an extension point, measured in every tenth attempt.",
                                     {"plugin", "extension_point", "status"},
                                     SecondsBuckets(0.00001, 1.5, 20)};
  CounterFamily<3> plugin_evaluations{all,
                                      Beta,
                                      "scheduler_plugin_evaluation_total",
                                      "Attempts in which a plugin had its say at PreFilter, Filter, PreScore or Score.",
                                      {"plugin", "extension_point", "profile"}};
  HistogramFamily<1> permit_wait_duration{all,
                                          Beta,
                                          "scheduler_permit_wait_duration_seconds",
                                          "Time that pods were held back by Permit plugins.",
                                          {"result"},
                                          SecondsBuckets(0.001, 2, 15)};
  GaugeFamily<2> unschedulable_pods{
      all,
      Beta,
      "scheduler_unschedulable_pods",
      "Pods that a plugin keeps from being placed. A pod counts once for each plugin that rejected it.",
      {"plugin", "profile"}};

  // Queue and events
  GaugeFamily<1> pending_pods{all,
                              Stable,
                              "scheduler_pending_pods",
                              "Pods that wait for a node: active (ready for an attempt), backoff (failed lately), "
                              "unschedulable (until an event "
                              "gives hope), gated (not to be tried yet).",
                              {"queue"}};
  CounterFamily<2> incoming_pods{all,
                                 Stable,
                                 "scheduler_queue_incoming_pods_total",
                                 "Pods that entered a queue, by the event that brought them there.",
                                 {"queue", "event"}};
  HistogramFamily<3> hint_duration{all,
                                   Alpha,
                                   "scheduler_queueing_hint_execution_duration_seconds",
                                   "Time a plugin took to tell whether an event gives a pod hope.",
                                   {"plugin", "event", "hint"},
                                   SecondsBuckets(0.00001, 1.5, 20)};
  GaugeFamily<1> in_flight_events{
      all, Alpha, "scheduler_inflight_events", "Events kept for pods whose attempt is under way.", {"event"}};
  HistogramFamily<1> event_duration{all,
                                    Alpha,
                                    "scheduler_event_handling_duration_seconds",
                                    "Time it took to take in a change of the cluster.",
                                    {"event"},
                                    SecondsBuckets(0.0001, 2, 12)};

  // The process
  GaugeFamily<1> cache_size{all, Alpha, "scheduler_cache_size", "Objects the scheduler has in memory.", {"type"}};
  GaugeFamily<1> background_work{
      all, Beta, "scheduler_goroutines", "Pieces of work that run beside the engine, by what they do.", {"operation"}};
  CounterFamily<2> async_calls{all,
                               Alpha,
                               "scheduler_async_api_call_execution_total",
                               "Writes to the cluster that were carried out in the background.",
                               {"call_type", "result"}};
  HistogramFamily<2> async_call_duration{all,
                                         Alpha,
                                         "scheduler_async_api_call_execution_duration_seconds",
                                         "Time a write to the cluster took in the background.",
                                         {"call_type", "result"},
                                         SecondsBuckets(0.001, 2, 15)};
  GaugeFamily<1> pending_async_calls{all,
                                     Alpha,
                                     "scheduler_pending_async_api_calls",
                                     "Writes to the cluster that wait for their turn in the background.",
                                     {"call_type"}};

  CounterFamily<1> problems{
      all,
      Alpha,
      "berth_problems_total",
      "What went wrong around decisions: objects that cannot be read, feeds that were interrupted, "
      "writes that were refused or given up, events that were dropped, trouble with the lease.",
      {"problem"}};

  // Plugins in other processes
  CounterFamily<3> remote_calls{all,
                                Alpha,
                                "berth_remote_plugin_calls_total",
                                "Calls of plugins in other processes by how they ended: ok, timeout, lost (no "
                                "session), suspended (too many had failed), error (the plugin said so), lie (the "
                                "answer makes no sense).",
                                {"plugin", "step", "result"}};
  HistogramFamily<2> remote_call_duration{all,
                                          Alpha,
                                          "berth_remote_plugin_call_duration_seconds",
                                          "Time from a call of a plugin in another process to its answer.",
                                          {"plugin", "step"},
                                          SecondsBuckets(0.00001, 2, 18)};
  GaugeFamily<2> remote_connected{all,
                                  Alpha,
                                  "berth_remote_plugin_connected",
                                  "Whether a session with the plugin in another process is open: 1 or 0.",
                                  {"plugin", "profile"}};
  GaugeFamily<2> remote_suspended{all,
                                  Alpha,
                                  "berth_remote_plugin_suspended",
                                  "Whether calls of the plugin fail at once because too many have failed: 1 or 0.",
                                  {"plugin", "profile"}};
  CounterFamily<2> remote_bytes{all,
                                Alpha,
                                "berth_remote_plugin_bytes_total",
                                "Bytes of messages to plugins in other processes (sent) and from them (received).",
                                {"plugin", "direction"}};
  CounterFamily<2> remote_strays{all,
                                 Alpha,
                                 "berth_remote_plugin_stray_messages_total",
                                 "Messages of plugins in other processes that nobody waits for: late answers, unknown "
                                 "numbers.",
                                 {"plugin", "kind"}};

  // Pods alike, scheduled one after the other
  CounterFamily<2> batch_attempts{all,
                                  Alpha,
                                  "scheduler_batch_attempts_total",
                                  "Attempts that could have used what an equal pod found, and whether they did.",
                                  {"profile", "result"}};
  CounterFamily<2> batch_flushes{all,
                                 Alpha,
                                 "scheduler_batch_cache_flushed_total",
                                 "Times that what an equal pod found had to be thrown away, and why.",
                                 {"profile", "reason"}};
  HistogramFamily<2> node_hint_duration{all,
                                        Alpha,
                                        "scheduler_get_node_hint_duration_seconds",
                                        "Time it took to look for a node that an equal pod found.",
                                        {"hinted", "profile"},
                                        SecondsBuckets(0.00001, 2, 12)};
  HistogramFamily<1> store_results_duration{all,
                                            Alpha,
                                            "scheduler_store_schedule_results_duration_seconds",
                                            "Time it took to keep an attempt's findings for equal pods.",
                                            {"profile"},
                                            SecondsBuckets(0.00001, 2, 12)};

  // Devices, groups of pods, volumes
  CounterFamily<1> claim_creates{all,
                                 Alpha,
                                 "scheduler_resourceclaim_creates_total",
                                 "ResourceClaims the scheduler created for extended resources.",
                                 {"status"}};
  CounterFamily<3> binding_conditions{
      all,
      Alpha,
      "scheduler_dra_bindingconditions_allocations_total",
      "Allocations of devices that have conditions for binding, once per driver and attempt.",
      {"profile", "driver", "status"}};
  HistogramFamily<3> binding_conditions_wait{all,
                                             Alpha,
                                             "scheduler_dra_bindingconditions_wait_duration_seconds",
                                             "Time that pods waited in PreBind until their devices were ready.",
                                             {"profile", "driver", "status"},
                                             SecondsBuckets(0.1, 2, 14)};
  CounterFamily<2> group_attempts{all,
                                  Alpha,
                                  "scheduler_podgroup_schedule_attempts_total",
                                  "Attempts to place a group of pods by how they ended.",
                                  {"result", "profile"}};
  HistogramFamily<2> group_attempt_duration{all,
                                            Alpha,
                                            "scheduler_podgroup_scheduling_attempt_duration_seconds",
                                            "Time one attempt to place a group took, binding included.",
                                            {"result", "profile"},
                                            SecondsBuckets(0.001, 2, 15)};
  HistogramFamily<0> group_algorithm_duration{all,
                                              Alpha,
                                              "scheduler_podgroup_scheduling_algorithm_duration_seconds",
                                              "Time it took to find nodes for a group of pods.",
                                              {},
                                              SecondsBuckets(0.001, 2, 15)};
  CounterFamily<1> binder_cache_requests{all,
                                         Alpha,
                                         "scheduler_volume_binder_cache_requests_total",
                                         "Requests to the cache of volume bindings.",
                                         {"operation"}};
  CounterFamily<1> volume_stage_errors{all,
                                       Alpha,
                                       "scheduler_volume_scheduling_stage_error_total",
                                       "Failures of a step of volume binding.",
                                       {"operation"}};
};

}  // namespace berth::metrics
