// SPDX-License-Identifier: Apache-2.0
// Small scenarios with the decisions and times that follow from upstream's rules.
#include "simulator/run/virtual_run.h"

#include "simulator/run/test_run.h"

#include <gtest/gtest.h>

namespace berth::simulator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Lines = std::vector<std::string>;

const std::string kOneNode = "nodes: [{name: m, allocatable: {cpu: 2}}]\nworkloads:\n";
const std::string kTwoNodes = "nodes: [{name: m, count: 2, allocatable: {cpu: 1}}]\nworkloads:\n";

TEST(VirtualRun, APodWaitsForRoomAndGetsItWhenAnotherEnds) {
  const TestedRun run = RunTested("duration: 10m\n" + kTwoNodes + WorkloadYaml("a", "1", "lifetime: 2m") +
                                  WorkloadYaml("b", "1", "lifetime: 3m") + WorkloadYaml("c", "1", "from: 1m"));
  ASSERT_EQ(run.decisions.size(), 4U);
  EXPECT_EQ(run.decisions[2], "1m c-1 waits");
  EXPECT_EQ(run.decisions[3].substr(0, 10), "2m c-1 on ");
  const PodCounts& pods = run.report.pods;
  EXPECT_EQ(pods.arrived, 3U);
  EXPECT_EQ(pods.bound, 3U);
  EXPECT_EQ(pods.ended, 2U);
  EXPECT_EQ(pods.running, 1U);
  EXPECT_EQ(pods.pending, 0U);
  EXPECT_EQ(run.report.latency.max, minutes(1));
  EXPECT_EQ(run.report.latency.p50, seconds(0));
  EXPECT_EQ(run.report.end - run.report.start, minutes(10));
}

TEST(VirtualRun, WithoutNodesAttemptsFollowTheBackoff) {
  const TestedRun run = RunTested(
      "duration: 1m\n"
      "nodes: [{name: m, allocatable: {cpu: 1}, join: {from: 20s}}]\nworkloads:\n" +
      WorkloadYaml("a", "1", ""));
  EXPECT_EQ(run.decisions, (Lines{"0s a-1 error", "2s a-1 error", "5s a-1 error", "10s a-1 error", "19s a-1 error",
                                  "30s a-1 on m-1"}));
  EXPECT_EQ(run.report.latency.max, seconds(30));
  ASSERT_EQ(run.report.reasons.size(), 1U);
  EXPECT_EQ(run.report.reasons[0].reason, "error");
  EXPECT_EQ(run.report.reasons[0].attempts, 5U);
  EXPECT_EQ(run.report.reasons[0].message, "no nodes available to schedule pods");
}

TEST(VirtualRun, WhatNothingHelpsIsTriedAgainAfterFiveMinutes) {
  const TestedRun run = RunTested("duration: 12m\n" + kOneNode + WorkloadYaml("a", "3", ""));
  EXPECT_EQ(run.decisions, (Lines{"0s a-1 waits", "5m30s a-1 waits", "11m a-1 waits"}));
  ASSERT_EQ(run.report.pending.size(), 1U);
  EXPECT_EQ(run.report.pending[0].pod, "default/a-1");
  EXPECT_EQ(run.report.pending[0].reason, "NodeResourcesFit");
  EXPECT_EQ(run.report.pending[0].attempts, 3);
  EXPECT_TRUE(run.report.pending[0].message.starts_with("0/1 nodes are available: 1 Insufficient cpu."));
  EXPECT_EQ(run.report.pods.pending, 1U);
}

TEST(VirtualRun, WithoutADurationItEndsWhenNothingMoreHappens) {
  const TestedRun done = RunTested(kOneNode + WorkloadYaml("a", "1", "count: 4, every: 1m, lifetime: 90s"));
  EXPECT_EQ(done.report.end - done.report.start, minutes(3) + seconds(90));
  EXPECT_EQ(done.report.pods.ended, 4U);
  const TestedRun stuck = RunTested(kOneNode + WorkloadYaml("a", "3", ""));
  EXPECT_EQ(stuck.decisions, (Lines{"0s a-1 waits", "5m30s a-1 waits"}));
}

TEST(VirtualRun, TheMoreImportantPodEvictsAndTheVictimIsReplaced) {
  const TestedRun run = RunTested("duration: 10m\n" + kOneNode + WorkloadYaml("low", "1", "count: 2, restart: true") +
                                  WorkloadYaml("high", "2", "from: 1m, lifetime: 1m, priority: 10"));
  EXPECT_EQ(run.decisions,
            (Lines{"0s low-1 on m-1", "0s low-2 on m-1", "1m high-1 promised m-1", "1m high-1 on m-1",
                   "1m low-1-r1 waits", "1m low-2-r1 waits", "2m low-1-r1 on m-1", "2m low-2-r1 on m-1"}));
  EXPECT_EQ(run.report.pods.preempted, 2U);
  EXPECT_EQ(run.report.pods.replaced, 2U);
  ASSERT_EQ(run.report.workloads.size(), 2U);
  EXPECT_EQ(run.report.workloads[0].latency.max, minutes(1));
  EXPECT_EQ(run.report.workloads[1].pods.ended, 1U);
}

TEST(VirtualRun, PodsThatArriveTogetherAreSortedByTheQueue) {
  const TestedRun run = RunTested("duration: 1m\n" + kOneNode + WorkloadYaml("low", "2", "priority: 1") +
                                  WorkloadYaml("high", "2", "priority: 5"));
  EXPECT_EQ(run.decisions, (Lines{"0s high-1 on m-1", "0s low-1 waits"}));
}

TEST(VirtualRun, GatedPodsWaitForTheirGate) {
  const TestedRun run = RunTested("duration: 10m\n" + kOneNode +
                                  WorkloadYaml("a", "1", "count: 2", "schedulingGates: [{name: g}, {name: h}]") +
                                  "events:\n"
                                  "- {at: 1m, action: ungate, workload: a, gate: g}\n"
                                  "- {at: 2m, action: ungate, pod: a-2, gate: h}\n");
  EXPECT_EQ(run.decisions, (Lines{"2m a-2 on m-1"}));
  EXPECT_EQ(run.report.pods.gated, 1U);
  EXPECT_EQ(run.report.pods.pending, 0U);
  ASSERT_EQ(run.report.pending.size(), 1U);
  EXPECT_TRUE(run.report.pending[0].gated);
  EXPECT_EQ(run.report.pending[0].reason, "gated");
}

TEST(VirtualRun, NodesDieDrainLeaveAndComeBack) {
  const TestedRun run = RunTested(
      "duration: 1h\n"
      "nodes: [{name: m, count: 2, allocatable: {cpu: 1}}]\n"
      "workloads:\n" +
      WorkloadYaml("a", "1", "restart: true", "nodeSelector: {kubernetes.io/hostname: m-1}") +
      "events:\n"
      "- {at: 10m, action: killNode, node: m-1, podsGoneAfter: 1m, rejoin: 5m}\n"
      "- {at: 20m, action: drainNode, node: m-1, rejoin: 2m}\n"
      "- {at: 30m, action: cordon, node: m-1}\n"
      "- {at: 31m, action: deletePod, pod: a-1-r2}\n"
      "- {at: 32m, action: uncordon, node: m-1}\n"
      "- {at: 40m, action: removeNode, node: m-2}\n");
  EXPECT_EQ(run.report.pods.lost, 1U);
  EXPECT_EQ(run.report.pods.evicted, 1U);
  EXPECT_EQ(run.report.pods.deleted, 1U);
  EXPECT_EQ(run.report.pods.replaced, 3U);
  std::vector<std::string> events;
  for (const NodeEvent& event : run.report.node_events) {
    events.push_back(std::to_string(std::chrono::duration_cast<minutes>(event.at - run.report.start).count()) + " " +
                     std::string(NameOf(event.what)) + " " + event.nodes.front());
  }
  EXPECT_EQ(events, (Lines{"0 joined m-1", "10 died m-1", "15 joined m-1", "20 drained m-1", "22 uncordoned m-1",
                           "30 cordoned m-1", "32 uncordoned m-1", "40 left m-2"}));
  EXPECT_EQ(run.report.nodes, 1U);
  EXPECT_EQ(run.report.pods.running, 1U);
  EXPECT_NEAR(run.report.node_hours, (60 - 5 + 40) / 60.0, 1e-9);
}

TEST(VirtualRun, UtilisationIsWeighedByTime) {
  const TestedRun run = RunTested("duration: 10m\n" + kOneNode + WorkloadYaml("a", "1", "from: 2m, lifetime: 6m") +
                                  WorkloadYaml("b", "1", "from: 4m, lifetime: 2m"));
  ASSERT_EQ(run.report.utilisation.front().resource, "cpu");
  const RunUse& cpu = run.report.utilisation.front();
  EXPECT_DOUBLE_EQ(cpu.average, (6 * 0.5 + 2 * 0.5) / 10);
  EXPECT_DOUBLE_EQ(cpu.peak, 1);
  EXPECT_EQ(cpu.peak_at - run.report.start, minutes(4));
  EXPECT_DOUBLE_EQ(cpu.requested, 800);
  EXPECT_DOUBLE_EQ(cpu.allocatable, 2000);
  EXPECT_EQ(run.report.timeline_step, minutes(1));
  ASSERT_EQ(run.report.timeline.size(), 10U);
  EXPECT_EQ(run.report.timeline[4].running, 2U);
  EXPECT_EQ(run.report.timeline[4].happenings.bound, 1U) << "what happens at a boundary belongs to what follows";
  EXPECT_DOUBLE_EQ(run.report.timeline[4].cpu, 1);
  EXPECT_DOUBLE_EQ(run.report.timeline[9].cpu, 0);
}

TEST(VirtualRun, ObjectsAreThereFromTheStart) {
  const TestedRun run = RunTested(
      "duration: 5m\nworkloads:\n" + WorkloadYaml("a", "1", "from: 1m", "priorityClassName: high"),
      "---\n{kind: Node, metadata: {name: x}, status: {allocatable: {cpu: 2, memory: 4Gi, pods: 10}}}\n---\n"
      "{kind: PriorityClass, metadata: {name: high}, value: 7}\n---\n"
      "{kind: Pod, metadata: {name: there, creationTimestamp: '2026-05-05T12:00:00Z'}, spec: {nodeName: x, containers: "
      "[{name: c, resources: {requests: {cpu: 500m}}}]}}\n---\n"
      "{kind: Pod, metadata: {name: done}, status: {phase: Succeeded}}\n---\n"
      "{kind: Pod, metadata: {name: foreign}, spec: {schedulerName: other}}\n---\n"
      "{kind: Pod, metadata: {name: waiting}, spec: {containers: [{name: c, resources: {requests: {cpu: 500m}}}]}}\n");
  EXPECT_EQ(run.decisions, (Lines{"0s waiting on x", "1m a-1 on x"}));
  EXPECT_EQ(run.report.start,
            Timestamp(std::chrono::sys_days(std::chrono::year(2026) / 5 / 5)) + std::chrono::hours(12));
  EXPECT_EQ(run.report.pods.arrived, 2U);
  EXPECT_EQ(run.report.pods.running, 3U);
  EXPECT_DOUBLE_EQ(run.report.utilisation.front().peak, 1);
  EXPECT_EQ(run.report.notes,
            (Lines{"pods of scheduler other, which no profile has, are left alone: default/foreign for one"}));
  EXPECT_NE(run.record.find(R"("priority":7)"), std::string::npos) << "the class gave it";
}

TEST(VirtualRun, WhatCannotBeDoneIsNotedAndTheRestGoesOn) {
  const TestedRun run = RunTested("duration: 5m\n" + kOneNode + WorkloadYaml("a", "1", "from: 2m") +
                                  "events:\n"
                                  "- {at: 1m, action: drainNode, node: other}\n"
                                  "- {at: 1m, action: deletePod, pod: b}\n"
                                  "- {at: 1m, action: addNode, object: {metadata: {name: m-1}}}\n"
                                  "- {at: 1m, action: delete, kind: Service, name: s}\n");
  EXPECT_EQ(run.report.notes, (Lines{"at 1m: there is no Node other", "at 1m: there is no Pod default/b",
                                     "at 1m: there is a Node m-1 already", "at 1m: there is no Service default/s"}));
  EXPECT_EQ(run.report.pods.bound, 1U);
}

TEST(VirtualRun, ScalingAddsAndTakesAway) {
  const TestedRun run = RunTested("duration: 10m\n" + kOneNode + WorkloadYaml("a", "1", "count: 1, restart: true") +
                                  "events:\n"
                                  "- {at: 1m, action: scale, workload: a, replicas: 3}\n"
                                  "- {at: 2m, action: scale, workload: a, replicas: 1}\n");
  EXPECT_EQ(run.decisions, (Lines{"0s a-1 on m-1", "1m a-2 on m-1", "1m a-3 waits"}));
  EXPECT_EQ(run.report.pods.deleted, 2U);
  EXPECT_EQ(run.report.pods.running, 1U);
  EXPECT_EQ(run.report.pods.replaced, 0U);
}

TEST(VirtualRun, ObjectsCanBeAppliedAndDeleted) {
  const TestedRun run = RunTested(
      "duration: 10m\n" + kOneNode + WorkloadYaml("a", "3", "") +
      "events:\n"
      "- at: 1m\n  action: apply\n"
      "  object: {kind: Node, metadata: {name: m-1}, status: {allocatable: {cpu: 4, memory: 4Gi, pods: 10}}}\n"
      "- {at: 2m, action: delete, kind: Node, name: m-1}\n");
  EXPECT_EQ(run.decisions, (Lines{"0s a-1 waits", "1m a-1 on m-1"}));
  EXPECT_EQ(run.report.pods.lost, 1U);
  EXPECT_EQ(run.report.nodes, 0U);
}

const std::string kBusy =
    "seed: 5\nduration: 6h\n"
    "nodes: [{name: m, count: 8, zones: [a, b], allocatable: {cpu: 4}}]\n"
    "failures: [{group: m, poisson: {perHour: 3}, rejoin: {exponential: 10m}}]\n"
    "workloads:\n" +
    WorkloadYaml("web", "500m", "count: 20, restart: true, priority: 10") +
    WorkloadYaml("job", "1", "poisson: {perHour: 60}, lifetime: {exponential: 30m}, restart: true");

TEST(VirtualRun, EqualSeedsGiveEqualRunsAndOthersGiveOthers) {
  const TestedRun first = RunTested(kBusy);
  const TestedRun second = RunTested(kBusy);
  EXPECT_GT(first.decisions.size(), 300U);
  EXPECT_EQ(first.log, second.log);
  EXPECT_EQ(first.record, second.record);
  std::string other = kBusy;
  other.replace(other.find("seed: 5"), 7, "seed: 6");
  EXPECT_NE(RunTested(other).log, first.log);
}

TEST(VirtualRun, CountsAddUp) {
  const PodCounts pods = RunTested(kBusy).report.pods;
  EXPECT_GT(pods.lost, 0U);
  EXPECT_EQ(pods.arrived, pods.bound + pods.pending);
  EXPECT_EQ(pods.bound, pods.running + pods.ended + pods.preempted + pods.evicted + pods.lost + pods.deleted);
}

}  // namespace
}  // namespace berth::simulator
