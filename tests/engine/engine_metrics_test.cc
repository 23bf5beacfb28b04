// SPDX-License-Identifier: Apache-2.0
// What a running scheduler tells its metrics.
#include "engine/live_cluster.h"
#include "metrics/scheduler_metrics.h"

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
