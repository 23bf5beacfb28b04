// SPDX-License-Identifier: Apache-2.0
// What feature gates change about the loop around decisions.
#include "engine/engine_checks.h"
#include "engine/hooked_store.h"
#include "engine/live_cluster.h"
#include "engine/stepped_scheduler.h"
#include "engine/test_plugins.h"
#include "features/feature_gates.h"
#include "plugins/registry.h"
#include "support/fake_plugins.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using features::FeatureGates;
using framework::Status;
using queue::Place;
using std::chrono::minutes;
using std::chrono::seconds;
using store::Operation;
using Lines = std::vector<std::string>;

FeatureGates With(const std::map<std::string, bool>& values, features::Version emulated = features::kOwnVersion) {
  return FeatureGates::FromMap(values, emulated).value();
}

std::vector<config::ProfilePlan> PlansUnder(const framework::Registry& registry, const FeatureGates& gates) {
  std::vector<config::ProfilePlan> plans = DefaultPlans(registry);
  for (config::ProfilePlan& plan : plans) plan.features = gates;
  return plans;
}

bool Says(const std::string& document, std::string_view part) { return document.find(part) != std::string::npos; }

// Low fills node a; high wants it; other fits node b. Each part of the scheduler moves when it is told to.
class AwaitedPreemption : public testing::Test {
 protected:
  explicit AwaitedPreemption(bool in_background = false)
      : run_(registry_, PlansUnder(registry_, With({{"SchedulerAsyncPreemption", in_background}}))) {
    run_.cluster.AddNode("a", "1");
    run_.cluster.AddPod("low", {.cpu = "1", .priority = 1, .node = "a"});
    run_.Settle();
    run_.cluster.AddPod("high", {.cpu = "1", .priority = 10});
    run_.Hear();
    run_.Decide();
    run_.cluster.AddNode("b", "500m");
    run_.cluster.AddPod("other", {.cpu = "500m"});
    while (run_.Hear()) {
    }
    run_.Decide();
    run_.Decide();
  }
  Place PlaceOf(const std::string& pod) { return run_.engine().queue().PlaceOf("uid-" + pod); }
  std::string NodeInMemory(const std::string& pod) { return std::string(run_.engine().cluster().NodeOf("uid-" + pod)); }

  const framework::Registry registry_ = plugins::InTreeRegistry();
  SteppedScheduler run_;
};

class PreemptionInTheBackground : public AwaitedPreemption {
 protected:
  PreemptionInTheBackground() : AwaitedPreemption(true) {}
};

TEST_F(PreemptionInTheBackground, OthersAreDecidedMeanwhile) {
  EXPECT_EQ(NodeInMemory("other"), "b");
  EXPECT_NE(PlaceOf("high"), Place::InFlight) << "its cycle is over";
  EXPECT_FALSE(run_.engine().held_cycle().is_held());
}

TEST_F(AwaitedPreemption, NoOtherPodIsTriedUntilTheVictimsAreEvicted) {
  EXPECT_EQ(NodeInMemory("other"), "");
  EXPECT_EQ(PlaceOf("high"), Place::InFlight);
  EXPECT_EQ(PlaceOf("other"), Place::Active);
  EXPECT_EQ(run_.engine().CheckInvariants(), "");
  run_.Write();
  EXPECT_EQ(run_.cluster.NodeOf("low"), "gone");
  run_.Decide();
  EXPECT_EQ(NodeInMemory("other"), "") << "the answer has not come yet";
  run_.Answer();
  run_.Decide();
  EXPECT_NE(PlaceOf("high"), Place::InFlight);
  run_.Decide();
  EXPECT_EQ(NodeInMemory("other"), "b");
  run_.Pass(seconds(3));
  EXPECT_EQ(run_.cluster.NodeOf("high"), "a");
  EXPECT_EQ(run_.cluster.EventsOf("low"), (Lines{"Preempted: Preempted by pod uid-high on node a"}));
  EXPECT_EQ(Disagreements(run_.engine(), run_.cluster), "");
}

TEST_F(AwaitedPreemption, ThePromiseIsWrittenWithTheFailure) {
  run_.Settle();
  EXPECT_TRUE(Says(run_.cluster.EventsOf("high").front(), "FailedScheduling: 0/1 nodes are available:"));
  EXPECT_TRUE(Says(run_.cluster.DocumentOf("high"), R"("nominatedNodeName":"a")")) << run_.cluster.DocumentOf("high");
}

TEST_F(AwaitedPreemption, APreemptorThatIsDeletedMeanwhileIsNotQueuedAgain) {
  run_.cluster.RemovePod("high");
  run_.Hear();
  run_.Settle();
  EXPECT_EQ(PlaceOf("high"), Place::None);
  EXPECT_NE(run_.cluster.NodeOf("other"), "") << "others are tried again";
  EXPECT_EQ(Disagreements(run_.engine(), run_.cluster), "");
}

TEST_F(AwaitedPreemption, APreemptorThatIsMadeAnewMeanwhileHearsNothingOfTheOldOne) {
  run_.cluster.RemovePod("high");
  store::Operation again = PodOperation("high", {.cpu = "500m", .priority = 10});
  again.uid = "uid-again";
  run_.cluster.Write({again});
  while (run_.Hear()) {
  }
  run_.Settle();
  const std::string node = run_.cluster.NodeOf("high");
  EXPECT_EQ(run_.cluster.EventsOf("high"), (Lines{"Scheduled: Successfully assigned default/high to " + node}));
}

TEST_F(AwaitedPreemption, APreemptorThatSomebodyElseBindsIsLeftThere) {
  const store::Binding theirs{{"Pod", "default", "high"}, "uid-high", "b", 0, 0};
  ASSERT_TRUE(run_.cluster.store.Bind({&theirs, 1}, std::nullopt));
  run_.Hear();
  run_.Decide();
  EXPECT_EQ(NodeInMemory("high"), "b");
  run_.Settle();
  EXPECT_EQ(PlaceOf("high"), Place::None);
  EXPECT_EQ(run_.cluster.NodeOf("high"), "b");
  EXPECT_EQ(Disagreements(run_.engine(), run_.cluster), "");
}

TEST_F(AwaitedPreemption, WhatHappensMeanwhileCountsWhenThePodComesBack) {
  run_.cluster.AddNode("c", "1");
  run_.Hear();
  run_.Settle();
  run_.Pass(seconds(3));
  EXPECT_NE(run_.cluster.NodeOf("high"), "");
}

// A live cluster whose store is seen through hooks, under some gates.
struct Gated {
  explicit Gated(const FeatureGates& gates, std::vector<framework::PluginEntry> plugins = {}) {
    framework::Registry registry = plugins::InTreeRegistry();
    std::vector<config::ProfilePlan> plans = PlansUnder(registry, gates);
    for (framework::PluginEntry& plugin : plugins) PutFirst(registry, plans, std::move(plugin));
    cluster =
        std::make_unique<LiveCluster>(std::move(registry), std::move(plans), scheduler::SchedulerOptions{}, &hooks);
    hooks.Wrap(cluster->store);
  }
  HookedStore hooks;
  std::unique_ptr<LiveCluster> cluster;
};

TEST(AwaitedPreemptionFails, AndThePodIsToldWhyAndPromisedNothing) {
  Gated gated(With({{"SchedulerAsyncPreemption", false}}));
  LiveCluster& cluster = *gated.cluster;
  gated.hooks.on_commit = [&](const store::Transaction& transaction) -> std::optional<Result<store::CommitOutcome>> {
    const bool is_eviction = std::ranges::any_of(transaction.operations, [](const Operation& operation) {
      return operation.type == Operation::Type::Delete && operation.key.kind == "Pod";
    });
    if (!is_eviction) return std::nullopt;
    return Result<store::CommitOutcome>(Error{ErrorCode::Unavailable, "the webhook says no"});
  };
  cluster.AddNode("a", "2");
  for (const char* low : {"low0", "low1"}) cluster.AddPod(low, {.cpu = "1", .priority = 1, .node = "a"});
  cluster.AddPod("high", {.cpu = "2", .priority = 10});
  cluster.Pass(seconds(5));
  const Lines events = cluster.EventsOf("high");
  ASSERT_FALSE(events.empty());
  EXPECT_TRUE(Says(events.front(), "Insufficient cpu. preemption: the webhook says no")) << events.front();
  EXPECT_FALSE(Says(cluster.DocumentOf("high"), "nominatedNodeName"));
  EXPECT_EQ(cluster.PlaceOf("high"), Place::Unschedulable) << "nothing has happened that could help";
  EXPECT_EQ(cluster.NodeOf("low0") + cluster.NodeOf("low1"), "aa");
  EXPECT_EQ(Disagreements(cluster.engine(), cluster), "");
}

TEST(AwaitedPreemptionEnds, AtOnceWhenAllVictimsGoInMemory) {
  const auto holder = std::make_shared<PermitHolder>();
  Gated gated(With({{"SchedulerAsyncPreemption", false}}), {EntryOf("Holder", holder)});
  LiveCluster& cluster = *gated.cluster;
  holder->wait = minutes(10);
  cluster.AddNode("a", "1");
  cluster.AddPod("low", {.cpu = "1", .priority = 1});
  cluster.Settle();
  holder->wait = Duration::zero();
  cluster.AddPod("high", {.cpu = "1", .priority = 10});
  cluster.Settle();
  EXPECT_FALSE(cluster.engine().held_cycle().is_held());
  EXPECT_EQ(cluster.PlaceOf("low"), Place::ErrorBackoff);
  cluster.Pass(seconds(3));
  EXPECT_EQ(cluster.NodeOf("high"), "a");
}

// A pod whose PreBind waits for something that never comes.
struct Announced {
  explicit Announced(const FeatureGates& gates) : gated(gates, {Fake("Fake", plugin)}) {
    plugin->bind = Status::Skip();
    plugin->run_pre_bind = [](const framework::Wake&, framework::BindingWork&) {
      framework::BindingProgress progress = framework::BindingProgress::Wait();
      progress.wake_on.push_back({"Namespace", "", "never"});
      return progress;
    };
    gated.cluster->AddNode("a", "1");
    gated.cluster->AddPod("p", {.cpu = "1"});
    gated.cluster->Settle();
  }
  Log log;
  std::shared_ptr<FakeBinding> plugin = std::make_shared<FakeBinding>("Fake", log);
  Gated gated;
};

TEST(NodesAreAnnounced, OnlyWithTheirGate) {
  EXPECT_TRUE(Says(Announced({}).gated.cluster->DocumentOf("p"), R"("nominatedNodeName":"a")"));
  for (const FeatureGates& off : {With({{"NominatedNodeNameForExpectation", false}}), With({}, {1, 34})}) {
    Announced announced(off);
    EXPECT_FALSE(Says(announced.gated.cluster->DocumentOf("p"), "nominatedNodeName"));
    EXPECT_EQ(announced.log, (Log{"Reserve Fake", "Permit Fake", "PreBind Fake"})) << "nobody asks for PreFlight";
  }
}

TEST(NodesAreAnnounced, OnlyWithTheirGateAlsoAtPermit) {
  for (const bool on : {true, false}) {
    const auto holder = std::make_shared<PermitHolder>();
    Gated gated(With({{"NominatedNodeNameForExpectation", on}}), {EntryOf("Holder", holder)});
    holder->wait = minutes(10);
    gated.cluster->AddNode("a", "1");
    gated.cluster->AddPod("p", {.cpu = "1"});
    gated.cluster->Settle();
    EXPECT_EQ(Says(gated.cluster->DocumentOf("p"), R"("nominatedNodeName":"a")"), on);
  }
}

// Without the gate nobody is asked whether he has anything to do: all PreBind plugins run.
TEST(NodesAreAnnounced, PreBindRunsInFullWithoutTheGate) {
  for (const bool on : {true, false}) {
    Log log;
    auto plugin = std::make_shared<FakeBinding>("Fake", log);
    plugin->bind = Status::Skip();
    plugin->pre_flight = Status::Skip();
    Gated gated(With({{"NominatedNodeNameForExpectation", on}}), {Fake("Fake", plugin)});
    gated.cluster->AddNode("a", "1");
    gated.cluster->AddPod("p", {.cpu = "1"});
    gated.cluster->Settle();
    EXPECT_EQ(gated.cluster->NodeOf("p"), "a");
    EXPECT_EQ(std::ranges::count(log, "PreBind Fake"), on ? 0 : 1);
    EXPECT_EQ(std::ranges::count(log, "PreBindPreFlight Fake"), on ? 1 : 0);
  }
}

// How often the pod's status is written when it fails twice before the first write went through.
size_t StatusWrites(const FeatureGates& gates) {
  Gated gated(gates);
  LiveCluster& cluster = *gated.cluster;
  bool refuses = true;
  size_t writes = 0;
  gated.hooks.on_commit = [&](const store::Transaction& transaction) -> std::optional<Result<store::CommitOutcome>> {
    const bool is_status = std::ranges::any_of(transaction.operations, [](const Operation& operation) {
      return operation.type == Operation::Type::Update && operation.key.name == "p";
    });
    if (!is_status) return std::nullopt;
    if (refuses) return Result<store::CommitOutcome>(Error{ErrorCode::Unavailable, "not now"});
    ++writes;
    return std::nullopt;
  };
  cluster.AddNode("a", "1");
  cluster.AddPod("p", {.cpu = "3"});
  cluster.Settle();
  cluster.AddNode("b", "4", R"("pool":"other")");
  cluster.RemoveNode("b");
  cluster.clock.Advance(seconds(2));
  cluster.AddNode("c", "2");
  cluster.AddPod("q", {.cpu = "2", .priority = 5});
  cluster.UpdateNode("c", "4");
  cluster.Settle();
  refuses = false;
  cluster.Pass(seconds(1));
  EXPECT_EQ(cluster.engine().counts().attempts, 3U);
  return writes;
}

TEST(StatusPatches, AreMergedOnlyWithAsyncAPICalls) {
  EXPECT_EQ(StatusWrites(With({{"SchedulerAsyncAPICalls", true}})), 1U);
  EXPECT_EQ(StatusWrites({}), 2U);
}

TEST(StatusPatches, AreWrittenBeforeTheBindingWithoutAsyncAPICalls) {
  Gated gated({});
  LiveCluster& cluster = *gated.cluster;
  bool refuses = true;
  gated.hooks.on_commit = [&](const store::Transaction& transaction) -> std::optional<Result<store::CommitOutcome>> {
    const bool is_status = std::ranges::any_of(transaction.operations,
                                               [](const Operation& operation) { return operation.key.name == "p"; });
    if (!is_status || !refuses) return std::nullopt;
    return Result<store::CommitOutcome>(Error{ErrorCode::Unavailable, "not now"});
  };
  cluster.AddPod("p", {.cpu = "1"});
  cluster.Settle();
  cluster.clock.Advance(seconds(2));
  cluster.AddNode("a", "1");
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("p"), "") << "the binding waits for the patch";
  refuses = false;
  cluster.Pass(seconds(3));
  EXPECT_EQ(cluster.NodeOf("p"), "a");
  EXPECT_TRUE(Says(cluster.DocumentOf("p"), R"("reason":"Unschedulable")")) << "it was written, before";
}

TEST(QueueingHints, OrACheckOfTheNodeLeaveAPodAloneThatDoesNotFit) {
  for (const bool hints : {true, false}) {
    Gated gated(With({{"SchedulerQueueingHints", hints}}, {1, 33}));
    LiveCluster& cluster = *gated.cluster;
    cluster.AddNode("a", "1");
    cluster.AddPod("p", {.cpu = "4"});
    cluster.Settle();
    ASSERT_EQ(cluster.PlaceOf("p"), Place::Unschedulable);
    cluster.AddNode("b", "1");
    cluster.Settle();
    cluster.Pass(seconds(3));
    EXPECT_EQ(cluster.engine().counts().attempts, 1U) << "the node is too small";
  }
}

TEST(EarlyTries, AreMadeOnlyWithTheirGate) {
  for (const bool early : {true, false}) {
    Gated gated(With({{"SchedulerPopFromBackoffQ", early}}));
    LiveCluster& cluster = *gated.cluster;
    cluster.AddNode("a", "1");
    cluster.AddPod("p", {.cpu = "2"});
    cluster.Settle();
    cluster.AddNode("b", "2");
    cluster.Settle();
    EXPECT_EQ(cluster.NodeOf("p"), early ? "b" : "") << "time stands still";
    cluster.Pass(seconds(3));
    EXPECT_EQ(cluster.NodeOf("p"), "b");
  }
}

}  // namespace
}  // namespace berth::test
