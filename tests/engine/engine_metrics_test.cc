// SPDX-License-Identifier: Apache-2.0
// What a running scheduler tells its metrics.
#include "engine/live_cluster.h"
#include "engine/stepped_scheduler.h"
#include "metrics/scheduler_metrics.h"
#include "plugins/registry.h"

#include <string>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using std::chrono::seconds;

// The value of an exposed sample, named with its labels; -1 when there is none.
double Sample(const LiveCluster& cluster, const std::string& sample) {
  const std::string text = cluster.scheduler->metrics().Expose();
  const std::string line = "\nscheduler_" + sample + " ";
  const size_t at = text.find(line);
  return at == std::string::npos ? -1 : std::stod(text.substr(at + line.size()));
}

TEST(EngineMetrics, AttemptsAndWhatTheEngineHolds) {
  LiveCluster cluster;
  cluster.AddNode("n1", "1");
  cluster.AddPod("fits", {.cpu = "1"});
  cluster.AddPod("waits", {.cpu = "2"});
  cluster.Settle();
  cluster.Pass(seconds(2));
  EXPECT_EQ(Sample(cluster, R"(schedule_attempts_total{result="scheduled",profile="default-scheduler"})"), 1);
  EXPECT_EQ(Sample(cluster, R"(schedule_attempts_total{result="unschedulable",profile="default-scheduler"})"), 1);
  EXPECT_EQ(Sample(cluster, R"(pending_pods{queue="unschedulable"})"), 1);
  EXPECT_EQ(Sample(cluster, R"(cache_size{type="nodes"})"), 1);
  EXPECT_EQ(Sample(cluster, R"(cache_size{type="pods"})"), 1);
  EXPECT_EQ(Sample(cluster, R"(cache_size{type="assumed_pods"})"), 0);
  EXPECT_EQ(Sample(cluster, R"(goroutines{operation="binding"})"), 0);
  EXPECT_EQ(Sample(cluster, R"(event_handling_duration_seconds_count{event="NodeAdd"})"), 1);
  EXPECT_GT(Sample(cluster, R"(plugin_evaluation_total{plugin="NodeResourcesFit",extension_point="Filter",)"
                            R"(profile="default-scheduler"})"),
            0);
}

TEST(EngineMetrics, EveryChangeThatIsTakenInIsCountedByWhatItMeans) {
  LiveCluster cluster;
  const auto handled = [&](const std::string& event) {
    return Sample(cluster, "event_handling_duration_seconds_count{event=\"" + event + "\"}");
  };
  cluster.AddNode("n1", "1");
  cluster.AddPod("fits", {.cpu = "1"});
  cluster.AddPod("waits", {.cpu = "2"});
  cluster.Settle();
  EXPECT_EQ(handled("NodeAdd"), 1);
  EXPECT_EQ(handled("UnschedulablePodAdd"), 2);
  EXPECT_EQ(handled("AssignedPodAdd"), 1) << "the binding";
  EXPECT_EQ(handled("UnschedulablePodDelete"), 1) << "which takes the pod out of the queue";
  EXPECT_EQ(handled("UnschedulablePodUpdate"), 1) << "the status we wrote";
  cluster.UpdateNode("n1", "1", R"("a":"b")");
  cluster.UpdatePod("waits", {.cpu = "2", .more_meta = R"("labels":{"a":"b"})"});
  cluster.RemovePod("fits");
  cluster.RemoveNode("n1");
  cluster.Settle();
  EXPECT_EQ(handled("NodeUpdateNodeLabel"), 1);
  EXPECT_EQ(handled("UnschedulablePodUpdatePodLabel"), 1);
  EXPECT_EQ(handled("AssignedPodDelete"), 1);
  EXPECT_EQ(handled("NodeDelete"), 1);
}

TEST(EngineMetrics, PodsAreAssumedUntilTheirHomeTellsOfThem) {
  const framework::Registry registry = plugins::InTreeRegistry();
  metrics::SchedulerMetrics metrics;
  SteppedScheduler run(registry, DefaultPlans(registry), 0, nullptr, &metrics);
  const auto assumed = [&] {
    run.clock.Advance(seconds(2));
    run.engine().Tick();
    const std::string text = metrics.Expose();
    const std::string line = "\nscheduler_cache_size{type=\"assumed_pods\"} ";
    return std::stod(text.substr(text.find(line) + line.size()));
  };
  run.cluster.AddNode("n1", "1");
  run.Settle();
  EXPECT_EQ(assumed(), 0);
  run.cluster.AddPod("p", {.cpu = "1"});
  run.Hear();
  run.Decide();
  EXPECT_EQ(assumed(), 1);
  run.Write();
  run.Answer();
  EXPECT_EQ(run.engine().attempts_under_way(), 0U);
  EXPECT_EQ(assumed(), 1) << "it is bound, but not told of";
  while (run.Hear()) {
  }
  run.Decide();
  EXPECT_EQ(assumed(), 0);
}

TEST(EngineMetrics, PreemptionsAndTheirVictims) {
  LiveCluster cluster;
  cluster.AddNode("n1", "1");
  cluster.AddPod("low", {.cpu = "1"});
  cluster.Settle();
  cluster.AddPod("high", {.cpu = "1", .priority = 10});
  cluster.Settle();
  EXPECT_EQ(Sample(cluster, "preemption_attempts_total"), 1);
  EXPECT_EQ(Sample(cluster, "preemption_victims_count"), 1);
  EXPECT_EQ(Sample(cluster, "preemption_victims_sum"), 1);
  EXPECT_EQ(Sample(cluster, R"(preemption_goroutines_execution_total{result="success"})"), 1);
}

}  // namespace
}  // namespace berth::test
