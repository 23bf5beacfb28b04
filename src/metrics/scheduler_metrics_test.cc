// SPDX-License-Identifier: Apache-2.0
#include "metrics/scheduler_metrics.h"

#include "metrics/test_exposition.h"

#include <array>
#include <atomic>
#include <cmath>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::metrics {
namespace {

using namespace std::chrono_literals;
using Labels = std::vector<std::string>;

struct Expected {
  const char* name;
  const char* type;
  const char* stability;
  Labels labels;
  struct {
    double start = 0, factor = 0;
    int count = 0;
  } buckets = {};
};

// What kube-scheduler v1.36 calls them.
const std::vector<Expected> kExpected = {
    {"schedule_attempts_total", "counter", "STABLE", {"result", "profile"}},
    {"scheduling_attempt_duration_seconds", "histogram", "STABLE", {"result", "profile"}, {0.001, 2, 15}},
    {"scheduling_algorithm_duration_seconds", "histogram", "ALPHA", {}, {0.001, 2, 15}},
    {"preemption_victims", "histogram", "STABLE", {}, {1, 2, 7}},
    {"preemption_attempts_total", "counter", "STABLE", {}},
    {"pending_pods", "gauge", "STABLE", {"queue"}},
    {"pod_scheduling_sli_duration_seconds", "histogram", "BETA", {"attempts"}, {0.01, 2, 20}},
    {"pod_scheduling_attempts", "histogram", "STABLE", {}, {1, 2, 5}},
    {"pod_scheduled_after_flush_total", "counter", "ALPHA", {}},
    {"framework_extension_point_duration_seconds",
     "histogram",
     "STABLE",
     {"extension_point", "status", "profile"},
     {0.0001, 2, 12}},
    {"plugin_execution_duration_seconds",
     "histogram",
     "ALPHA",
     {"plugin", "extension_point", "status"},
     {0.00001, 1.5, 20}},
    {"plugin_evaluation_total", "counter", "BETA", {"plugin", "extension_point", "profile"}},
    {"queue_incoming_pods_total", "counter", "STABLE", {"queue", "event"}},
    {"queueing_hint_execution_duration_seconds", "histogram", "ALPHA", {"plugin", "event", "hint"}, {0.00001, 1.5, 20}},
    {"inflight_events", "gauge", "ALPHA", {"event"}},
    {"event_handling_duration_seconds", "histogram", "ALPHA", {"event"}, {0.0001, 2, 12}},
    {"unschedulable_pods", "gauge", "BETA", {"plugin", "profile"}},
    {"permit_wait_duration_seconds", "histogram", "BETA", {"result"}, {0.001, 2, 15}},
    {"cache_size", "gauge", "ALPHA", {"type"}},
    {"goroutines", "gauge", "BETA", {"operation"}},
    {"preemption_goroutines_duration_seconds", "histogram", "ALPHA", {"result"}, {0.01, 2, 20}},
    {"preemption_goroutines_execution_total", "counter", "ALPHA", {"result"}},
    {"batch_attempts_total", "counter", "ALPHA", {"profile", "result"}},
    {"batch_cache_flushed_total", "counter", "ALPHA", {"profile", "reason"}},
    {"get_node_hint_duration_seconds", "histogram", "ALPHA", {"hinted", "profile"}, {0.00001, 2, 12}},
    {"store_schedule_results_duration_seconds", "histogram", "ALPHA", {"profile"}, {0.00001, 2, 12}},
    {"async_api_call_execution_total", "counter", "ALPHA", {"call_type", "result"}},
    {"async_api_call_execution_duration_seconds", "histogram", "ALPHA", {"call_type", "result"}, {0.001, 2, 15}},
    {"pending_async_api_calls", "gauge", "ALPHA", {"call_type"}},
    {"resourceclaim_creates_total", "counter", "ALPHA", {"status"}},
    {"dra_bindingconditions_allocations_total", "counter", "ALPHA", {"profile", "driver", "status"}},
    {"dra_bindingconditions_wait_duration_seconds",
     "histogram",
     "ALPHA",
     {"profile", "driver", "status"},
     {0.1, 2, 14}},
    {"podgroup_schedule_attempts_total", "counter", "ALPHA", {"result", "profile"}},
    {"podgroup_scheduling_attempt_duration_seconds", "histogram", "ALPHA", {"result", "profile"}, {0.001, 2, 15}},
    {"podgroup_scheduling_algorithm_duration_seconds", "histogram", "ALPHA", {}, {0.001, 2, 15}},
    {"volume_binder_cache_requests_total", "counter", "ALPHA", {"operation"}},
    {"volume_scheduling_stage_error_total", "counter", "ALPHA", {"operation"}},
};

// Every method once.
void CountEverything(SchedulerMetrics& metrics) {
  metrics.Attempt(AttemptResult::Scheduled, "default-scheduler", 3ms);
  metrics.Algorithm(1ms);
  metrics.PodScheduled(1, 5ms, true);
  metrics.PreemptionAttempt();
  metrics.PreemptionVictims(2);
  metrics.ExtensionPoint("Filter", "Success", "default-scheduler", 1ms);
  metrics.PluginRun("NodeName", "Filter", "Success", 1us);
  metrics.PluginEvaluated("NodeName", "Filter", "default-scheduler");
  metrics.SetPending(QueueName::Backoff, 4);
  metrics.Incoming(QueueName::Active, "PodAdd");
  metrics.Hint("NodeResourcesFit", "NodeAdd", HintResult::QueueSkip, 1us);
  metrics.SetInFlightEvents("NodeAdd", 6);
  metrics.EventHandled("NodeAdd", 1us);
  metrics.AddUnschedulable("NodeAffinity", "default-scheduler", 1);
  metrics.PermitWait("Success", 1s);
  metrics.SetCacheSize(CacheType::AssumedPods, 7);
  metrics.SetBackgroundWork("binding", 8);
  metrics.PreemptionWork(false, 1s);
  metrics.AsyncCallDone(AsyncCall::PodBinding, "success", 1ms);
  metrics.SetPendingAsyncCalls(AsyncCall::PodStatusPatch, 9);
  metrics.Problem("command_refused");
  metrics.BatchAttempt("default-scheduler", "hint_used");
  metrics.BatchFlushed("default-scheduler", "expired");
  metrics.NodeHint(true, "default-scheduler", 1us);
  metrics.ResultsStored("default-scheduler", 1us);
  metrics.ResourceClaimCreated(false);
  metrics.BindingConditionsAllocated("default-scheduler", "gpu.example.com", "timeout");
  metrics.BindingConditionsWait("default-scheduler", "gpu.example.com", "timeout", 10min);
  metrics.GroupAttempt(GroupResult::WaitingOnPreemption, "default-scheduler", 1ms);
  metrics.GroupAlgorithm(1ms);
  metrics.VolumeBinderCacheRequest("add");
  metrics.VolumeStageError("assume");
}

TEST(SchedulerMetrics, ExposesEveryMetricBeforeAnythingIsCounted) {
  const SchedulerMetrics metrics;
  const Exposition exposition = Exposition::Parse(metrics.Expose());
  for (const Expected& expected : kExpected) {
    const auto family = exposition.families.find(fmt::format("scheduler_{}", expected.name));
    ASSERT_NE(family, exposition.families.end()) << expected.name;
    EXPECT_EQ(family->second.type, expected.type) << expected.name;
    EXPECT_TRUE(family->second.help.starts_with(fmt::format("[{}] ", expected.stability))) << family->second.help;
  }
  const std::array own = {"berth_problems_total",
                          "berth_remote_plugin_bytes_total",
                          "berth_remote_plugin_call_duration_seconds",
                          "berth_remote_plugin_calls_total",
                          "berth_remote_plugin_connected",
                          "berth_remote_plugin_stray_messages_total",
                          "berth_remote_plugin_suspended"};
  for (const char* name : own) EXPECT_TRUE(exposition.families.contains(name)) << name;
  EXPECT_EQ(exposition.families.size(), kExpected.size() + own.size());
  EXPECT_EQ(exposition.Value("scheduler_preemption_attempts_total"), 0);
  EXPECT_EQ(exposition.Value(R"(scheduler_pending_pods{queue="gated"})"), 0);
}

TEST(SchedulerMetrics, HasUpstreamsLabelsAndBuckets) {
  SchedulerMetrics metrics;
  CountEverything(metrics);
  const Exposition exposition = Exposition::Parse(metrics.Expose());
  for (const Expected& expected : kExpected) {
    const std::string name = fmt::format("scheduler_{}", expected.name);
    if (expected.buckets.count == 0) {
      EXPECT_EQ(exposition.LabelsOf(name), expected.labels) << name;
      continue;
    }
    EXPECT_EQ(exposition.LabelsOf(name + "_sum"), expected.labels) << name;
    EXPECT_EQ(exposition.LabelsOf(name + "_count"), expected.labels) << name;
    const std::vector<double> bounds = exposition.BoundsOf(name);
    ASSERT_EQ(bounds.size(), static_cast<size_t>(expected.buckets.count) + 1) << name;
    for (int i = 0; i < expected.buckets.count; ++i) {
      const double bound = expected.buckets.start * std::pow(expected.buckets.factor, i);
      EXPECT_NEAR(bounds[static_cast<size_t>(i)], bound, bound * 1e-12) << name << " " << i;
    }
    EXPECT_TRUE(std::isinf(bounds.back())) << name;
  }
}

TEST(SchedulerMetrics, EachMethodCountsWhereItSays) {
  SchedulerMetrics metrics;
  CountEverything(metrics);
  const Exposition exposition = Exposition::Parse(metrics.Expose());
  const std::vector<std::pair<const char*, double>> values = {
      {R"(schedule_attempts_total{result="scheduled",profile="default-scheduler"})", 1},
      {R"(scheduling_attempt_duration_seconds_sum{result="scheduled",profile="default-scheduler"})", 0.003},
      {"scheduling_algorithm_duration_seconds_sum", 0.001},
      {R"(pod_scheduling_sli_duration_seconds_sum{attempts="1"})", 0.005},
      {"pod_scheduling_attempts_sum", 1},
      {"pod_scheduled_after_flush_total", 1},
      {"preemption_attempts_total", 1},
      {"preemption_victims_sum", 2},
      {R"(plugin_evaluation_total{plugin="NodeName",extension_point="Filter",profile="default-scheduler"})", 1},
      {R"(plugin_execution_duration_seconds_count{plugin="NodeName",extension_point="Filter",status="Success"})", 1},
      {R"(pending_pods{queue="backoff"})", 4},
      {R"(queue_incoming_pods_total{queue="active",event="PodAdd"})", 1},
      {R"(queueing_hint_execution_duration_seconds_count{plugin="NodeResourcesFit",event="NodeAdd",hint="QueueSkip"})",
       1},
      {R"(inflight_events{event="NodeAdd"})", 6},
      {R"(unschedulable_pods{plugin="NodeAffinity",profile="default-scheduler"})", 1},
      {R"(permit_wait_duration_seconds_sum{result="Success"})", 1},
      {R"(cache_size{type="assumed_pods"})", 7},
      {R"(goroutines{operation="binding"})", 8},
      {R"(preemption_goroutines_execution_total{result="error"})", 1},
      {R"(async_api_call_execution_total{call_type="pod_binding",result="success"})", 1},
      {R"(pending_async_api_calls{call_type="pod_status_patch"})", 9},
      {R"(get_node_hint_duration_seconds_count{hinted="hint",profile="default-scheduler"})", 1},
      {R"(resourceclaim_creates_total{status="failure"})", 1},
      {R"(podgroup_schedule_attempts_total{result="waiting_on_preemption",profile="default-scheduler"})", 1},
  };
  for (const auto& [sample, value] : values) EXPECT_EQ(exposition.Value(fmt::format("scheduler_{}", sample)), value);
}

TEST(SchedulerMetrics, BucketsHoldTheirBoundAndAddUp) {
  SchedulerMetrics metrics;
  for (const Duration took : {Duration(1), Duration(1ms), Duration(1ms + 1ns), Duration(2ms), Duration(17s)}) {
    metrics.Algorithm(took);
  }
  const Exposition exposition = Exposition::Parse(metrics.Expose());
  const auto bucket = [&](std::string_view bound) {
    return exposition.Value(fmt::format("scheduler_scheduling_algorithm_duration_seconds_bucket{{le=\"{}\"}}", bound));
  };
  EXPECT_EQ(bucket("0.001"), 2);
  EXPECT_EQ(bucket("0.002"), 4);
  EXPECT_EQ(bucket("16.384"), 4);
  EXPECT_EQ(bucket("+Inf"), 5);
  EXPECT_EQ(exposition.Value("scheduler_scheduling_algorithm_duration_seconds_count"), 5);
  EXPECT_NEAR(exposition.Value("scheduler_scheduling_algorithm_duration_seconds_sum"), 17.004000002, 1e-12);
}

TEST(SchedulerMetrics, EqualHintsAreCountedTogether) {
  SchedulerMetrics metrics;
  metrics.Hint("NodeResourcesFit", "NodeAdd", HintResult::Queue, 2us, 1000);
  const Exposition exposition = Exposition::Parse(metrics.Expose());
  const std::string name = "scheduler_queueing_hint_execution_duration_seconds";
  const std::string labels = R"({plugin="NodeResourcesFit",event="NodeAdd",hint="Queue"})";
  EXPECT_EQ(exposition.Value(name + "_count" + labels), 1000);
  EXPECT_NEAR(exposition.Value(name + "_sum" + labels), 0.002, 1e-12);
}

TEST(SchedulerMetrics, ManyAttemptsShareOneLabel) {
  SchedulerMetrics metrics;
  for (const int attempts : {14, 15, 16, 1000}) metrics.PodScheduled(attempts, 1s, false);
  const Exposition exposition = Exposition::Parse(metrics.Expose());
  EXPECT_EQ(exposition.Value(R"(scheduler_pod_scheduling_sli_duration_seconds_count{attempts="14"})"), 1);
  EXPECT_EQ(exposition.Value(R"(scheduler_pod_scheduling_sli_duration_seconds_count{attempts="15+"})"), 3);
  EXPECT_EQ(exposition.Value("scheduler_pod_scheduling_attempts_sum"), 14 + 15 + 16 + 1000);
  EXPECT_EQ(exposition.Value("scheduler_pod_scheduled_after_flush_total"), 0);
}

TEST(SchedulerMetrics, APreemptionWithoutVictimsIsAnAttemptOnly) {
  SchedulerMetrics metrics;
  metrics.PreemptionAttempt();
  const Exposition exposition = Exposition::Parse(metrics.Expose());
  EXPECT_EQ(exposition.Value("scheduler_preemption_attempts_total"), 1);
  EXPECT_EQ(exposition.Value("scheduler_preemption_victims_count"), 0);
}

TEST(SchedulerMetrics, UnschedulablePodsGoUpAndDown) {
  SchedulerMetrics metrics;
  metrics.AddUnschedulable("NodeName", "a", 5);
  metrics.AddUnschedulable("NodeName", "a", -2);
  metrics.AddUnschedulable("NodeName", "b", 1);
  const Exposition exposition = Exposition::Parse(metrics.Expose());
  EXPECT_EQ(exposition.Value(R"(scheduler_unschedulable_pods{plugin="NodeName",profile="a"})"), 3);
  EXPECT_EQ(exposition.Value(R"(scheduler_unschedulable_pods{plugin="NodeName",profile="b"})"), 1);
}

TEST(SchedulerMetrics, LabelValuesAreEscaped) {
  SchedulerMetrics metrics;
  metrics.PluginEvaluated("a\"b\\c\nd", "Filter", "p");
  EXPECT_EQ(
      Exposition::Parse(metrics.Expose())
          .Value(R"(scheduler_plugin_evaluation_total{plugin="a\"b\\c\nd",extension_point="Filter",profile="p"})"),
      1);
}

TEST(SchedulerMetrics, CountsFromManyThreadsWhileBeingExposed) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 1000;
  SchedulerMetrics metrics;
  std::atomic<int> running = kThreads;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        metrics.ExtensionPoint("Bind", i % 2 == 0 ? "Success" : "Error", "default-scheduler", Duration(i));
        metrics.PluginRun("DefaultBinder", "Bind", "Success", Duration(i));
        metrics.PluginEvaluated("DefaultBinder", "Bind", fmt::format("profile-{}", i % 50));
        metrics.AddUnschedulable("NodeName", "default-scheduler", i % 2 == 0 ? 1 : -1);
      }
      running.fetch_sub(1);
    });
  }
  double before = 0;
  while (running.load() > 0) {
    const Exposition meanwhile = Exposition::Parse(metrics.Expose());
    const auto count = meanwhile.samples.find(
        R"(scheduler_plugin_execution_duration_seconds_count{plugin="DefaultBinder",extension_point="Bind",status="Success"})");
    if (count == meanwhile.samples.end()) continue;
    EXPECT_GE(count->second, before);
    before = count->second;
  }
  for (std::thread& thread : threads) thread.join();
  const Exposition exposition = Exposition::Parse(metrics.Expose());
  for (const char* status : {"Success", "Error"}) {
    EXPECT_EQ(
        exposition.Value(fmt::format("scheduler_framework_extension_point_duration_seconds_count{{extension_point="
                                     "\"Bind\",status=\"{}\",profile=\"default-scheduler\"}}",
                                     status)),
        kThreads * kRounds / 2);
  }
  for (int profile = 0; profile < 50; ++profile) {
    EXPECT_EQ(
        exposition.Value(fmt::format(
            R"(scheduler_plugin_evaluation_total{{plugin="DefaultBinder",extension_point="Bind",profile="profile-{}"}})",
            profile)),
        kThreads * kRounds / 50);
  }
  EXPECT_EQ(exposition.Value(R"(scheduler_unschedulable_pods{plugin="NodeName",profile="default-scheduler"})"), 0);
}

}  // namespace
}  // namespace berth::metrics
