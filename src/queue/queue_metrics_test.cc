// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_metrics.h"

#include "queue/test_queue.h"

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;
using Counts = std::map<std::string, double>;

class QueueMetricsTest : public testing::Test, protected QueueTestBed {
 protected:
  QueueMetricsTest() { metrics_ = &recorded_; }
  Counts Incoming() { return Samples(recorded_.Expose(), "scheduler_queue_incoming_pods_total", {"queue", "event"}); }
  Counts Pending() { return Samples(recorded_.Expose(), "scheduler_pending_pods", {"queue"}); }
  Counts Unschedulable() { return Samples(recorded_.Expose(), "scheduler_unschedulable_pods", {"plugin", "profile"}); }
  Counts InFlight() { return Samples(recorded_.Expose(), "scheduler_inflight_events", {"event"}); }

  metrics::SchedulerMetrics recorded_;
};

TEST_F(QueueMetricsTest, MovesAreCountedByTheirCause) {
  Plugin("Fit", {kNodeAdd});
  GatingPlugin("Gates", {}).gate.closed_to = {"gated"};
  Add("gated");
  AddFailed(MakePod("p"), {"Fit"});
  AddFailed(MakePod("q"), {"Fit"});
  AddFailed(MakePod("broken"), {});
  Wake(kNodeAdd);
  EXPECT_EQ(Pop(), "p");
  Fail("p", {"Fit"});
  queue().Activate(Names{"default/p"});
  clock_.Advance(10s);
  queue().Tick();
  EXPECT_EQ(Incoming(), (Counts{{"active/UnschedulablePodAdd", 3},
                                {"unschedulable/UnschedulablePodAdd", 1},
                                {"unschedulable/ScheduleAttemptFailure", 3},
                                {"backoff/ScheduleAttemptFailure", 1},
                                {"backoff/NodeAdd", 2},
                                {"active/PopFromBackoffQ", 1},
                                {"active/ForceActivate", 1},
                                {"active/BackoffComplete", 2}}));
}

TEST_F(QueueMetricsTest, PendingPodsAreCountedByTheirPlace) {
  Plugin("Fit", {kNodeAdd});
  FakePlugin& gates = GatingPlugin("Gates", {kPodDelete});
  gates.gate.closed_to = {"gated"};
  Add("gated");
  AddFailed(MakePod("backs-off"), {"Fit"});
  Wake(kNodeAdd);
  AddFailed(MakePod("broken"), {});
  AddFailed(MakePod("waits"), {"Fit"});
  AddFailed(MakePod("waits-too"), {"Fit"});
  Add("ready");
  EXPECT_EQ(Pending(), (Counts{{"active", 1}, {"backoff", 2}, {"unschedulable", 2}, {"gated", 1}}));
  gates.gate.closed_to.clear();
  Wake(kPodDelete);
  queue().Remove("default/waits");
  EXPECT_EQ(Pending(), (Counts{{"active", 2}, {"backoff", 2}, {"unschedulable", 1}}));
  Pop();
  Pop();
  EXPECT_EQ(Pending(), (Counts{{"backoff", 2}, {"unschedulable", 1}}));
}

TEST_F(QueueMetricsTest, UnschedulablePodsAreCountedByEachRejector) {
  Plugin("Fit", {kNodeAdd});
  Plugin("Ports", {});
  FakePlugin& gates = GatingPlugin("Gates", {kNodeAdd});
  FakePlugin& more = GatingPlugin("More", {kNodeAdd});
  gates.gate.closed_to = {"p"};
  Add("p");
  EXPECT_EQ(Unschedulable(), (Counts{{"Gates/default-scheduler", 1}}));
  Wake(kNodeAdd);
  EXPECT_EQ(Unschedulable(), (Counts{{"Gates/default-scheduler", 1}})) << "gated again is not twice";
  gates.gate.closed_to.clear();
  more.gate.closed_to = {"p"};
  Wake(kNodeAdd);
  EXPECT_EQ(Unschedulable(), (Counts{{"Gates/default-scheduler", 1}, {"More/default-scheduler", 1}}));
  more.gate.closed_to.clear();
  Wake(kNodeAdd);
  EXPECT_EQ(Pop(), "p");
  EXPECT_EQ(Unschedulable(), Counts());
  Fail("p", {"Fit"}, {"Ports"});
  EXPECT_EQ(Unschedulable(), (Counts{{"Fit/default-scheduler", 1}, {"Ports/default-scheduler", 1}}));
  queue().Remove("default/p");
  EXPECT_EQ(Unschedulable(), Counts());
}

TEST_F(QueueMetricsTest, EventsInFlightAreCountedByLabel) {
  Plugin("Fit", {kNodeAdd, kPodDelete});
  Add("p");
  Add("q");
  Pop();
  Wake(kNodeAdd);
  Wake(kNodeAdd);
  Pop();
  Wake(kPodDelete);
  EXPECT_EQ(InFlight(), (Counts{{"NodeAdd", 2}, {"AssignedPodDelete", 1}, {"PodPopped", 2}}));
  queue().Done("default/p");
  EXPECT_EQ(InFlight(), (Counts{{"AssignedPodDelete", 1}, {"PodPopped", 1}}));
  Fail("q", {"Fit"});
  EXPECT_EQ(InFlight(), Counts());
}

TEST_F(QueueMetricsTest, EveryHintIsCountedByItsAnswer) {
  FakePlugin& fit = Plugin("Fit", {kNodeAdd, {EventResource::Pod, framework::kUpdatePodLabel}});
  FakePlugin& once = Plugin("Once", {kNodeAdd}, 0, /*by_template=*/true);
  const auto hints = [&] {
    return Samples(recorded_.Expose(), "scheduler_queueing_hint_execution_duration_seconds_count",
                   {"plugin", "event", "hint"});
  };
  const framework::PodInfoPtr like = MakePod("like").Info(names_);
  for (int i = 0; i < 3; ++i) {
    api::Pod pod = *like->pod;
    pod.meta.name = "alike-" + std::to_string(i);
    pod.meta.uid = "default/" + pod.meta.name;
    queue().Add(std::make_shared<const framework::PodInfo>(
        framework::PodInfo{std::make_shared<const api::Pod>(std::move(pod)), like->pod_class}));
    Fail(Pop(), {"Once"});
  }
  AddFailed(MakePod("p"), {"Fit"});
  AddFailed(MakePod("q"), {"Fit"});
  fit.says = once.says = QueueingHint::QueueSkip;
  for (int i = 0; i < 5; ++i) Wake(kNodeAdd);
  EXPECT_EQ(hints(), (Counts{{"Fit/NodeAdd/QueueSkip", 10}, {"Once/NodeAdd/QueueSkip", 5}}))
      << "once for each pod, or for each template";
  fit.fails = true;
  Wake(kNodeAdd);
  EXPECT_EQ(hints().at("Fit/NodeAdd/Error"), 2);
  fit.fails = false;
  AddFailed(MakePod("r").Label("a", "b"), {"Fit"});
  Update(MakePod("r").Label("a", "b"), MakePod("r").Label("a", "c"));
  EXPECT_EQ(hints().at("Fit/UnschedulablePodUpdatePodLabel/QueueSkip"), 1) << "a pod's own update";
  Add("flying");
  while (Pop() != "flying") {
  }
  Wake(kNodeAdd);
  const double before = hints().at("Fit/NodeAdd/QueueSkip");
  Fail("flying", {"Fit"});
  EXPECT_EQ(hints().at("Fit/NodeAdd/QueueSkip"), before + 1) << "an event that came during the attempt";
}

}  // namespace
}  // namespace berth::queue
