// SPDX-License-Identifier: Apache-2.0
// What happens to a pod while it is on its way to its node: it goes, its node goes, another scheduler is faster.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/live_cluster.h"
#include "engine/running_cluster.h"
#include "engine/stepped_scheduler.h"
#include "engine/test_plugins.h"
#include "plugins/registry.h"

#include <thread>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using std::chrono::milliseconds;

// A node with room for one pod, and a Bind that takes as long as the test wants.
class BindingRaces : public testing::Test {
 protected:
  BindingRaces() {
    PutFirst(cluster_.registry, cluster_.plans, EntryOf("SlowBind", bind_));
    cluster_.AddNode("a", "1");
  }
  ~BindingRaces() override {
    bind_->before.Open();
    bind_->after.Open();
  }
  void Start(scheduler::SchedulerOptions options = {}) {
    options.engine.queue.initial_backoff = milliseconds(20);
    options.engine.queue.max_backoff = milliseconds(50);
    scheduler_ = cluster_.NewScheduler(options);
    scheduler_->Start();
  }
  // A pod has come to Bind.
  bool IsBeingBound() {
    return Eventually([&] { return bind_->before.arrived() > 0; });
  }
  bool HasWritten() {
    return Eventually([&] { return bind_->after.arrived() > 0; });
  }
  bool EngineCounts(const std::string& pod, const std::string& node) {
    return Eventually([&] {
      bool equal = false;
      scheduler_->Ask([&](scheduler::Engine& engine) { equal = engine.cluster().NodeOf("uid-" + pod) == node; });
      return equal;
    });
  }
  // Then whoever asks the engine something finds the answer on his own thread.
  bool EngineHasStopped() {
    std::thread::id answered_by;
    scheduler_->Ask([&](scheduler::Engine&) { answered_by = std::this_thread::get_id(); });
    return answered_by == std::this_thread::get_id();
  }
  void ExpectAgreement() {
    EXPECT_TRUE(Eventually([&] { return DisagreementsOf(*scheduler_, cluster_).empty(); }))
        << DisagreementsOf(*scheduler_, cluster_);
    EXPECT_TRUE(Eventually([&] { return RunningCluster::IsQuiet(*scheduler_); }));
    EXPECT_EQ(audit_.Problems(), "");
  }

  std::shared_ptr<SlowBind> bind_ = std::make_shared<SlowBind>();
  RunningCluster cluster_;
  HistoryAudit audit_{cluster_.store};
  std::unique_ptr<scheduler::Scheduler> scheduler_;
};

TEST_F(BindingRaces, APodDeletedBeforeItsBindingIsWritten) {
  Start();
  cluster_.AddPod("p", {.cpu = "1"});
  ASSERT_TRUE(IsBeingBound());
  cluster_.RemovePod("p");
  EXPECT_TRUE(EngineCounts("p", "")) << "its room is free although its binding goes on";
  bind_->before.Open();
  bind_->after.Open();
  cluster_.AddPod("q", {.cpu = "1"});
  EXPECT_TRUE(EngineCounts("q", "a"));
  EXPECT_TRUE(Eventually([&] { return cluster_.AllBound(); }));
  ExpectAgreement();
}

TEST_F(BindingRaces, APodDeletedAfterItsBindingWasWritten) {
  bind_->before.Open();
  Start();
  cluster_.AddPod("p", {.cpu = "1"});
  ASSERT_TRUE(HasWritten());
  ASSERT_EQ(cluster_.NodeOf("p"), "a");
  cluster_.RemovePod("p");
  EXPECT_TRUE(EngineCounts("p", ""));
  bind_->after.Open();
  cluster_.AddPod("q", {.cpu = "1"});
  EXPECT_TRUE(Eventually([&] { return cluster_.NodeOf("q") == "a"; }));
  ExpectAgreement();
  EXPECT_EQ(audit_.bindings(), 2U);
}

// Another object under the same name is not what was decided on.
TEST_F(BindingRaces, APodMadeAnewUnderItsNameIsDecidedAnew) {
  Start();
  cluster_.AddPod("p", {.cpu = "1"});
  ASSERT_TRUE(IsBeingBound());
  cluster_.RemovePod("p");
  store::Operation again = PodOperation("p", {.cpu = "500m"});
  again.uid = "uid-other";
  cluster_.Write({again});
  bind_->before.Open();
  bind_->after.Open();
  EXPECT_TRUE(Eventually([&] { return cluster_.NodeOf("p") == "a"; }));
  ExpectAgreement();
  EXPECT_EQ(audit_.bindings(), 1U);
}

TEST_F(BindingRaces, ANodeThatVanishesWhileItsPodIsBound) {
  Start();
  cluster_.AddPod("p", {.cpu = "1"});
  ASSERT_TRUE(IsBeingBound());
  cluster_.RemoveNode("a");
  EXPECT_TRUE(Eventually([&] {
    size_t nodes = 1;
    scheduler_->Ask([&](scheduler::Engine& engine) { nodes = engine.cluster().node_count(); });
    return nodes == 0;
  }));
  bind_->before.Open();
  bind_->after.Open();
  EXPECT_TRUE(Eventually([&] { return cluster_.NodeOf("p") == "a"; })) << "nobody has said that it must not";
  ExpectAgreement();
  cluster_.AddNode("a", "1");
  cluster_.AddPod("q", {.cpu = "1"});
  EXPECT_TRUE(Eventually([&] { return !cluster_.EventsOf("q").empty(); }));
  EXPECT_EQ(cluster_.NodeOf("q"), "") << "the node came back with its pod on it";
  ExpectAgreement();
}

TEST_F(BindingRaces, AnotherSchedulerIsFaster) {
  Start();
  cluster_.AddPod("p", {.cpu = "1"});
  ASSERT_TRUE(IsBeingBound());
  cluster_.AddNode("b", "1");
  const store::Binding theirs{{"Pod", "default", "p"}, "uid-p", "b", 0, 0};
  ASSERT_TRUE(cluster_.store.Bind({&theirs, 1}, std::nullopt));
  EXPECT_TRUE(EngineCounts("p", "b")) << "the store is right";
  bind_->before.Open();
  bind_->after.Open();
  cluster_.AddPod("q", {.cpu = "1"});
  EXPECT_TRUE(Eventually([&] { return cluster_.NodeOf("q") == "a"; }));
  ExpectAgreement();
}

TEST_F(BindingRaces, ManyPodsComeAndGoWhileBindingIsSlow) {
  scheduler::SchedulerOptions options;
  options.work_threads = 3;
  Start(options);
  cluster_.AddNodes(5, "4");
  cluster_.AddPods("p", 60, {.cpu = "300m"}, 5);
  ASSERT_TRUE(IsBeingBound());
  for (int i = 0; i < 60; i += 2) cluster_.RemovePod("p" + std::to_string(i));
  bind_->before.Open();
  bind_->after.Open();
  cluster_.AddPods("q", 30, {.cpu = "300m"}, 5);
  EXPECT_TRUE(Eventually([&] { return cluster_.AllBound(); }));
  ExpectAgreement();
}

// A binding that no command was given for yet is left: whoever schedules next finds the pod without a node.
TEST_F(BindingRaces, StoppingWaitsForWorkThatHasBegunAndForNothingElse) {
  scheduler::SchedulerOptions options;
  options.work_threads = 1;
  Start(options);
  cluster_.AddNodes(1, "16");
  cluster_.AddPods("p", 10, {.cpu = "1"});
  ASSERT_TRUE(IsBeingBound());
  std::jthread opener([&] {
    EXPECT_TRUE(Eventually([&] { return EngineHasStopped(); }));
    bind_->before.Open();
    bind_->after.Open();
  });
  scheduler_->Stop();
  opener.join();
  EXPECT_GE(bind_->before.arrived(), 1U);
  EXPECT_EQ(cluster_.UnboundPods(), 10U);
  EXPECT_EQ(audit_.Problems(), "");
}

// The work pool by itself, so that the test sees what is answered when.
TEST(ClosedWorkPool, FinishesTheWorkThatHasBegunAndDropsTheOthers) {
  const auto bind = std::make_shared<SlowBind>();
  framework::Registry registry = plugins::InTreeRegistry();
  std::vector<config::ProfilePlan> plans = DefaultPlans(registry);
  PutFirst(registry, plans, EntryOf("SlowBind", bind));
  SteppedScheduler run(registry, plans, /*threads=*/1);
  HistoryAudit audit(run.cluster.store);
  run.cluster.AddNode("a", "16");
  for (int i = 0; i < 10; ++i) run.cluster.AddPod("p" + std::to_string(i), {.cpu = "1"});
  while (run.Hear() || run.Decide()) {
  }
  EXPECT_EQ(run.engine().attempts_under_way(), 10U);
  EXPECT_TRUE(Eventually([&] { return bind->before.arrived() == 1; }));
  std::jthread closer([&] { run.pool().Close(); });
  EXPECT_TRUE(Eventually([&] { return run.unhandled_answers() == 9; })) << "those that wait are answered at once";
  EXPECT_EQ(run.cluster.UnboundPods(), 10U);
  bind->before.Open();
  bind->after.Open();
  closer.join();
  EXPECT_EQ(run.unhandled_answers(), 10U);
  EXPECT_EQ(bind->before.arrived(), 1U) << "no other was begun";
  run.Answer();
  run.Write();
  EXPECT_EQ(run.cluster.UnboundPods(), 9U);
  while (run.Answer()) {
  }
  EXPECT_EQ(run.engine().counts().bound, 1U);
  EXPECT_EQ(run.engine().counts().errors, 9U);
  EXPECT_EQ(run.engine().CheckInvariants(), "");
  EXPECT_EQ(audit.Problems(), "");
}

// Pods that are being prepared.
class PreBindRaces : public testing::Test {
 protected:
  PreBindRaces() {
    PutFirst(cluster_.registry, cluster_.plans, EntryOf("SlowPreBind", pre_bind_));
    cluster_.AddNode("a", "1");
    scheduler_ = cluster_.NewScheduler();
    scheduler_->Start();
    cluster_.AddPod("p", {.cpu = "1"});
  }
  ~PreBindRaces() override { pre_bind_->door.Open(); }
  bool IsBeingPrepared() {
    return Eventually([&] { return pre_bind_->door.arrived() > 0; });
  }

  std::shared_ptr<SlowPreBind> pre_bind_ = std::make_shared<SlowPreBind>();
  RunningCluster cluster_;
  HistoryAudit audit_{cluster_.store};
  std::unique_ptr<scheduler::Scheduler> scheduler_;
};

TEST_F(PreBindRaces, APodThatIsDeletedIsNotPreparedAnyFurther) {
  ASSERT_TRUE(IsBeingPrepared());
  cluster_.RemovePod("p");
  EXPECT_TRUE(Eventually([&] { return pre_bind_->stopped == 1; }));
  EXPECT_TRUE(Eventually([&] { return RunningCluster::IsQuiet(*scheduler_); }));
  EXPECT_EQ(DisagreementsOf(*scheduler_, cluster_), "");
  pre_bind_->door.Open();
  cluster_.AddPod("q", {.cpu = "1"});
  EXPECT_TRUE(Eventually([&] { return cluster_.NodeOf("q") == "a"; }));
}

TEST_F(PreBindRaces, APodThatIsToGoIsNotPreparedAnyFurther) {
  ASSERT_TRUE(IsBeingPrepared());
  cluster_.UpdatePod("p", {.cpu = "1", .more_meta = R"("deletionTimestamp":"2026-01-01T00:00:00Z")"});
  EXPECT_TRUE(Eventually([&] { return pre_bind_->stopped == 1; }));
  EXPECT_TRUE(Eventually([&] { return RunningCluster::IsQuiet(*scheduler_); }));
  EXPECT_EQ(cluster_.NodeOf("p"), "");
  pre_bind_->door.Open();
  cluster_.AddPod("q", {.cpu = "1"});
  EXPECT_TRUE(Eventually([&] { return cluster_.NodeOf("q") == "a"; })) << "its room is free";
  EXPECT_EQ(audit_.Problems(), "");
}

TEST_F(PreBindRaces, AStoppedSchedulerAsksForItsEnd) {
  ASSERT_TRUE(IsBeingPrepared());
  scheduler_->Stop();
  EXPECT_EQ(pre_bind_->stopped, 1U);
  EXPECT_EQ(cluster_.NodeOf("p"), "");
}

TEST_F(PreBindRaces, APodThatIsPreparedIsBoundThroughTheOutbox) {
  ASSERT_TRUE(IsBeingPrepared());
  pre_bind_->door.Open();
  EXPECT_TRUE(Eventually([&] { return cluster_.NodeOf("p") == "a"; }));
  EXPECT_TRUE(Eventually([&] { return DisagreementsOf(*scheduler_, cluster_).empty(); }));
}

}  // namespace
}  // namespace berth::test
