// SPDX-License-Identifier: Apache-2.0
// What happens around decisions: what is written when, what a failure makes of a pod, and what preemption may touch.
#include "engine/engine_checks.h"
#include "engine/hooked_store.h"
#include "engine/live_cluster.h"
#include "engine/stepped_scheduler.h"
#include "engine/test_plugins.h"
#include "plugins/registry.h"
#include "support/fake_plugins.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::Status;
using std::chrono::minutes;
using std::chrono::seconds;
using store::Operation;

using CommitAnswer = std::optional<Result<store::CommitOutcome>>;

bool Touches(const store::Transaction& transaction, Operation::Type type, const std::string& pod) {
  return std::ranges::any_of(transaction.operations, [&](const Operation& operation) {
    return operation.type == type && operation.key == store::Key{"Pod", "default", pod};
  });
}

// A live cluster whose store is seen through hooks, with the given plugins in front of the default ones.
struct Hooked {
  explicit Hooked(std::vector<framework::PluginEntry> plugins = {}, const features::FeatureGates& gates = {}) {
    framework::Registry registry = plugins::InTreeRegistry();
    std::vector<config::ProfilePlan> plans = DefaultPlans(registry);
    plans.front().features = gates;
    for (framework::PluginEntry& plugin : plugins) PutFirst(registry, plans, std::move(plugin));
    cluster =
        std::make_unique<LiveCluster>(std::move(registry), std::move(plans), scheduler::SchedulerOptions{}, &hooks);
    hooks.Wrap(cluster->store);
  }
  scheduler::Engine& engine() { return cluster->engine(); }

  HookedStore hooks;
  std::unique_ptr<LiveCluster> cluster;
};

// Deletion takes time: the pod is merely marked.
CommitAnswer MarkAsTerminating(LiveCluster& cluster, const std::string& pod) {
  cluster.UpdatePod(pod, {.cpu = "1",
                          .priority = 1,
                          .more_meta = R"("deletionTimestamp":"2026-01-01T00:00:00Z")",
                          .more_status = R"("conditions":[{"type":"DisruptionTarget","status":"True",)"
                                         R"("reason":"PreemptionByScheduler"}])"});
  return Result<store::CommitOutcome>(store::CommitOutcome{.committed = true});
}

TEST(AroundDecisions, ANominationCountsFromTheMomentItIsDecided) {
  Hooked hooked;
  LiveCluster& cluster = *hooked.cluster;
  hooked.hooks.on_commit = [&](const store::Transaction& transaction) -> CommitAnswer {
    if (Touches(transaction, Operation::Type::Update, "high")) return Error{ErrorCode::Unavailable, "not now"};
    for (const char* pod : {"low0", "low1"}) {
      if (Touches(transaction, Operation::Type::Delete, pod)) return MarkAsTerminating(cluster, pod);
    }
    return std::nullopt;
  };
  for (const char* node : {"a", "b"}) cluster.AddNode(node, "1100m");
  cluster.AddPod("low0", {.cpu = "1", .priority = 1, .node = "a"});
  cluster.AddPod("low1", {.cpu = "1", .priority = 1, .node = "b"});
  cluster.AddPod("other0", {.cpu = "100m", .priority = 20, .node = "a"});
  cluster.AddPod("other1", {.cpu = "100m", .priority = 20, .node = "b"});
  cluster.AddPod("high", {.cpu = "1", .priority = 10});
  cluster.Settle();
  const auto terminating = [&] {
    int count = 0;
    for (const char* pod : {"low0", "low1"}) {
      count += cluster.DocumentOf(pod).find("deletionTimestamp") != std::string::npos ? 1 : 0;
    }
    return count;
  };
  ASSERT_EQ(terminating(), 1);
  ASSERT_EQ(cluster.DocumentOf("high").find("nominatedNodeName"), std::string::npos) << "it could not be written";
  const uint64_t attempts = hooked.engine().counts().attempts;
  cluster.RemovePod("other0");
  cluster.RemovePod("other1");
  cluster.Pass(seconds(3));
  EXPECT_GT(hooked.engine().counts().attempts, attempts) << "it was woken";
  EXPECT_EQ(terminating(), 1) << "one victim is enough";
}

struct Rejecting {
  std::string point;
  std::string message;
};

class FailureWhileBinding : public testing::TestWithParam<const char*> {};

TEST_P(FailureWhileBinding, BacksOffWhateverTheVerdict) {
  Log log;
  auto plugin = std::make_shared<FakeBinding>("Fake", log);
  const bool at_bind = std::string(GetParam()) == "Bind";
  (at_bind ? plugin->bind : plugin->pre_bind) = Status::Unschedulable("not today");
  if (!at_bind) plugin->bind = Status::Skip();
  Hooked hooked({Fake("Fake", plugin)});
  LiveCluster& cluster = *hooked.cluster;
  cluster.AddNode("a");
  cluster.AddPod("p");
  cluster.Settle();
  EXPECT_EQ(hooked.engine().counts().attempts, 1U) << "while the clock stands still it is not tried again";
  EXPECT_EQ(cluster.PlaceOf("p"), queue::Place::ErrorBackoff);
  EXPECT_NE(cluster.DocumentOf("p").find(R"("message":"not today")"), std::string::npos) << cluster.DocumentOf("p");
  EXPECT_NE(cluster.DocumentOf("p").find(R"("reason":"Unschedulable")"), std::string::npos);
  EXPECT_EQ(cluster.EventsOf("p"), (std::vector<std::string>{"FailedScheduling: not today"}));
  cluster.Pass(seconds(3));
  EXPECT_GE(hooked.engine().counts().attempts, 2U);
}

INSTANTIATE_TEST_SUITE_P(Points, FailureWhileBinding, testing::Values("PreBind", "Bind"));

// Low waits at Permit on the only node, and high wants that.
struct Contest {
  Contest() : hooked({EntryOf("Holder", holder)}) {
    holder->wait = minutes(10);
    hooked.cluster->AddNode("a", "1");
    hooked.cluster->AddPod("low", {.cpu = "1", .priority = 1});
    hooked.cluster->Settle();
    holder->wait = Duration::zero();
  }
  std::shared_ptr<PermitHolder> holder = std::make_shared<PermitHolder>();
  Hooked hooked;
};

TEST(AroundDecisions, APodPreemptedAtPermitBacksOffAndIsTriedAgain) {
  Contest contest;
  LiveCluster& cluster = *contest.hooked.cluster;
  ASSERT_EQ(cluster.PlaceOf("low"), queue::Place::InFlight);
  cluster.AddPod("high", {.cpu = "1", .priority = 10});
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("low"), "") << "it is not deleted";
  EXPECT_EQ(cluster.PlaceOf("low"), queue::Place::ErrorBackoff);
  EXPECT_EQ(cluster.EventsOf("low"),
            (std::vector<std::string>{"Preempted: Preempted by pod uid-high on node a (in kube-scheduler memory).",
                                      "FailedScheduling: waiting on permit for pod: preempted"}));
  cluster.Pass(seconds(3));
  EXPECT_EQ(cluster.NodeOf("high"), "a");
  cluster.AddNode("b", "1");
  cluster.Pass(seconds(3));
  EXPECT_EQ(cluster.NodeOf("low"), "b");
  EXPECT_EQ(Disagreements(contest.hooked.engine(), cluster), "");
}

// Allows every pod that waits as soon as another is looked at.
struct Allower final : framework::PreFilterPlugin {
  framework::PreFilterResult PreFilter(framework::CycleState&, const framework::PodInfo&,
                                       framework::IndexedCluster&) override {
    handle->waiting_pods().ForEach([](framework::WaitingPod& pod) { pod.Allow("Holder"); });
    return {};
  }
  framework::Handle* handle = nullptr;
};

TEST(AroundDecisions, APodThatPermitHasJustAllowedIsDeletedWhenItIsPreempted) {
  const auto holder = std::make_shared<PermitHolder>();
  Hooked hooked({EntryOf("Holder", holder), EntryOf("Allower", std::make_shared<Allower>())});
  LiveCluster& cluster = *hooked.cluster;
  holder->wait = minutes(10);
  cluster.AddNode("a", "1");
  cluster.AddPod("low", {.cpu = "1", .priority = 1});
  cluster.Settle();
  holder->wait = Duration::zero();
  cluster.AddPod("high", {.cpu = "1", .priority = 10});
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("low"), "gone");
  cluster.Pass(seconds(3));
  EXPECT_EQ(cluster.NodeOf("high"), "a");
  EXPECT_EQ(Disagreements(hooked.engine(), cluster), "");
}

TEST(AroundDecisions, APodPreemptedInPreBindIsTakenBackInMemory) {
  Log log;
  auto plugin = std::make_shared<FakeBinding>("Fake", log);
  plugin->bind = Status::Skip();
  plugin->run_pre_bind = [](const framework::Wake&, framework::BindingWork&) {
    framework::BindingProgress progress = framework::BindingProgress::Wait();
    progress.wake_on.push_back({"Namespace", "", "never"});
    return progress;
  };
  Hooked hooked({Fake("Fake", plugin)});
  LiveCluster& cluster = *hooked.cluster;
  cluster.AddNode("a", "1");
  cluster.AddPod("low", {.cpu = "1", .priority = 1});
  cluster.Settle();
  EXPECT_NE(cluster.DocumentOf("low").find(R"("nominatedNodeName":"a")"), std::string::npos) << "it is announced";
  plugin->run_pre_bind = nullptr;
  cluster.AddPod("high", {.cpu = "1", .priority = 10});
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("low"), "") << "it is not deleted";
  EXPECT_EQ(cluster.PlaceOf("low"), queue::Place::ErrorBackoff);
  cluster.Pass(seconds(3));
  EXPECT_EQ(cluster.NodeOf("high"), "a");
  EXPECT_EQ(cluster.DocumentOf("low").find("nominatedNodeName"), std::string::npos) << "the announcement is taken back";
  EXPECT_EQ(Disagreements(hooked.engine(), cluster), "");
}

TEST(AroundDecisions, AnEvictionThatIsRefusedEndsAndTheOthersGoOn) {
  Hooked hooked;
  LiveCluster& cluster = *hooked.cluster;
  int refused = 0;
  hooked.hooks.on_commit = [&](const store::Transaction& transaction) -> CommitAnswer {
    if (!Touches(transaction, Operation::Type::Delete, "low")) return std::nullopt;
    ++refused;
    return Error{ErrorCode::Unavailable, "the webhook says no"};
  };
  cluster.AddNode("a", "1");
  cluster.AddPod("low", {.cpu = "1", .priority = 1, .node = "a"});
  cluster.AddPod("high", {.cpu = "1", .priority = 10});
  cluster.Pass(Duration(seconds(1)) / 2);
  EXPECT_LE(refused, 5) << "it is tried a bounded number of times";
  EXPECT_EQ(hooked.engine().evictions().size(), 0U);
  EXPECT_EQ(cluster.EventsOf("low"), std::vector<std::string>()) << "nobody was preempted";
  cluster.AddNode("b", "1");
  cluster.Pass(seconds(15));
  EXPECT_EQ(cluster.NodeOf("high"), "b") << "it is not held back beside a free node";
  hooked.hooks.on_commit = nullptr;
  cluster.Pass(minutes(10));
  EXPECT_EQ(cluster.NodeOf("low"), "a") << "nobody dies for nobody";
}

TEST(AroundDecisions, EvictionsForAPodThatIsDeletedAreDropped) {
  Hooked hooked;
  LiveCluster& cluster = *hooked.cluster;
  hooked.hooks.on_commit = [&](const store::Transaction& transaction) -> CommitAnswer {
    if (!Touches(transaction, Operation::Type::Delete, "low")) return std::nullopt;
    return Error{ErrorCode::Unavailable, "not now"};
  };
  cluster.AddNode("a", "1");
  cluster.AddPod("low", {.cpu = "1", .priority = 1, .node = "a"});
  cluster.AddPod("high", {.cpu = "1", .priority = 10});
  cluster.Settle();
  ASSERT_TRUE(hooked.engine().evictions().IsPreempting("uid-high"));
  cluster.RemovePod("high");
  cluster.Settle();
  hooked.hooks.on_commit = nullptr;
  cluster.Pass(minutes(1));
  EXPECT_EQ(cluster.NodeOf("low"), "a");
}

TEST(AroundDecisions, ABindingAbsorbsTheStatusThatWaitsToBeWritten) {
  Hooked hooked({}, features::FeatureGates::FromMap({{"SchedulerAsyncAPICalls", true}}).value());
  LiveCluster& cluster = *hooked.cluster;
  bool refuses = true;
  hooked.hooks.on_commit = [&](const store::Transaction& transaction) -> CommitAnswer {
    if (!refuses || !Touches(transaction, Operation::Type::Update, "p")) return std::nullopt;
    return Error{ErrorCode::Unavailable, "not now"};
  };
  cluster.AddPod("p", {.cpu = "1"});
  cluster.Settle();
  ASSERT_EQ(hooked.engine().counts().unschedulable + hooked.engine().counts().errors, 1U);
  cluster.clock.Advance(seconds(2));
  cluster.AddNode("a", "1");
  cluster.Settle();
  ASSERT_EQ(cluster.NodeOf("p"), "a");
  refuses = false;
  cluster.Pass(minutes(1));
  EXPECT_EQ(cluster.DocumentOf("p").find("PodScheduled"), std::string::npos) << "it came too late";
}

TEST(AroundDecisions, ANominationAnnouncedForABindingThatFailsIsCleared) {
  Log log;
  auto plugin = std::make_shared<FakeBinding>("Fake", log);
  plugin->bind = Status::Skip();
  plugin->pre_bind = Status::FromError("no volume");
  Hooked hooked({Fake("Fake", plugin)});
  LiveCluster& cluster = *hooked.cluster;
  cluster.AddNode("a", "1");
  cluster.AddPod("p", {.cpu = "1"});
  cluster.Settle();
  EXPECT_EQ(hooked.engine().counts().errors, 1U);
  EXPECT_EQ(cluster.DocumentOf("p").find("nominatedNodeName"), std::string::npos) << cluster.DocumentOf("p");
}

TEST(AroundDecisions, VictimsThatAreAlreadyTerminatingAreLeftAlone) {
  Hooked hooked;
  LiveCluster& cluster = *hooked.cluster;
  cluster.AddNode("a", "1");
  cluster.AddPod(
      "low", {.cpu = "1", .priority = 1, .more_meta = R"("deletionTimestamp":"2026-01-01T00:00:00Z")", .node = "a"});
  cluster.AddPod("high", {.cpu = "1", .priority = 10});
  const std::string before = cluster.DocumentOf("low");
  cluster.Settle();
  EXPECT_NE(cluster.DocumentOf("high").find(R"("nominatedNodeName":"a")"), std::string::npos);
  EXPECT_EQ(cluster.DocumentOf("low"), before);
  EXPECT_EQ(cluster.EventsOf("low"), std::vector<std::string>());
  EXPECT_EQ(hooked.engine().evictions().size(), 0U);
}

TEST(AroundDecisions, AnAssumedPodThatIsToGoGivesItsRoomToOthers) {
  const framework::Registry registry = plugins::InTreeRegistry();
  SteppedScheduler run(registry, DefaultPlans(registry));
  run.cluster.AddNode("a", "1");
  run.Settle();
  run.cluster.AddPod("p", {.cpu = "1"});
  run.Hear();
  run.Decide();
  ASSERT_EQ(run.engine().attempts_under_way(), 1U);
  run.cluster.AddPod("q", {.cpu = "1"});
  run.Hear();
  run.Decide();
  EXPECT_EQ(run.engine().cluster().NodeOf("uid-q"), "");
  run.clock.Advance(seconds(5));
  run.cluster.UpdatePod("p", {.cpu = "1", .more_meta = R"("deletionTimestamp":"2026-01-01T00:00:00Z")"});
  run.Hear();
  run.Decide();
  EXPECT_EQ(run.engine().cluster().NodeOf("uid-p"), "");
  EXPECT_EQ(run.engine().cluster().NodeOf("uid-q"), "a") << "it is woken and takes the room";
}

TEST(AroundDecisions, TheErrorOfABindingNamesItsPlugin) {
  const framework::Registry registry = plugins::InTreeRegistry();
  SteppedScheduler run(registry, DefaultPlans(registry));
  for (const char* node : {"a", "b"}) run.cluster.AddNode(node, "1");
  run.Settle();
  run.cluster.AddPod("p", {.cpu = "1"});
  run.Hear();
  run.Decide();
  const std::string chosen(run.engine().cluster().NodeOf("uid-p"));
  const store::Binding theirs{{"Pod", "default", "p"}, "uid-p", chosen == "a" ? "b" : "a", 0, 0};
  ASSERT_TRUE(run.cluster.store.Bind({&theirs, 1}, std::nullopt));
  run.Write();
  run.Answer();
  run.Write();
  const std::vector<std::string> events = run.cluster.EventsOf("p");
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.front().find(R"(FailedScheduling: running Bind plugin "DefaultBinder": binding rejected: )"), 0U)
      << events.front();
}

TEST(AroundDecisions, APodMadeAnewUnderTheSameNameHearsNothingOfTheOldOne) {
  const framework::Registry registry = plugins::InTreeRegistry();
  SteppedScheduler run(registry, DefaultPlans(registry));
  run.cluster.AddNode("a", "1");
  run.Settle();
  run.cluster.AddPod("p", {.cpu = "1"});
  run.Hear();
  run.Decide();
  run.cluster.RemovePod("p");
  store::Operation again = PodOperation("p", {.cpu = "1"});
  again.uid = "uid-again";
  run.cluster.Write({again});
  run.Hear();
  run.Hear();
  run.Decide();
  run.Settle();
  EXPECT_EQ(run.cluster.NodeOf("p"), "a");
  EXPECT_EQ(run.cluster.EventsOf("p"), (std::vector<std::string>{"Scheduled: Successfully assigned default/p to a"}));
}

TEST(AroundDecisions, AConditionTellsWhichGenerationItIsAbout) {
  Hooked hooked;
  LiveCluster& cluster = *hooked.cluster;
  std::string marked;
  hooked.hooks.on_commit = [&](const store::Transaction& transaction) -> CommitAnswer {
    if (Touches(transaction, Operation::Type::Delete, "low")) marked = cluster.DocumentOf("low");
    return std::nullopt;
  };
  cluster.AddNode("a", "1");
  cluster.AddPod("low", {.cpu = "1", .priority = 1, .more_meta = R"("generation":7)", .node = "a"});
  cluster.AddPod("high", {.cpu = "1", .priority = 10});
  cluster.Settle();
  EXPECT_NE(marked.find(R"({"type":"DisruptionTarget","observedGeneration":7,"status":"True")"), std::string::npos)
      << marked;
}

TEST(AroundDecisions, AConditionThatCouldNotBeWrittenIsWrittenAfterTheNextAttempt) {
  Hooked hooked;
  LiveCluster& cluster = *hooked.cluster;
  bool works = false;
  hooked.hooks.on_commit = [&](const store::Transaction& transaction) -> CommitAnswer {
    if (works || !Touches(transaction, Operation::Type::Update, "p")) return std::nullopt;
    return Error{ErrorCode::Unavailable, "not now"};
  };
  cluster.AddPod("p", {.cpu = "1"});
  cluster.Settle();
  cluster.Pass(seconds(30));
  ASSERT_EQ(cluster.DocumentOf("p").find("PodScheduled"), std::string::npos);
  works = true;
  cluster.Pass(minutes(6));  // it is tried again after five
  EXPECT_GE(hooked.engine().counts().attempts, 2U);
  EXPECT_NE(cluster.DocumentOf("p").find("PodScheduled"), std::string::npos) << cluster.DocumentOf("p");
}

TEST(AroundDecisions, APodThatIsDeletedWhileItIsInNoQueueIsNominatedNoMore) {
  Hooked hooked;
  LiveCluster& cluster = *hooked.cluster;
  cluster.AddNode("a", "1");
  cluster.AddPod("holds", {.cpu = "1", .priority = 1000, .node = "a"});
  const PodWish leaving{.cpu = "1",
                        .priority = 10,
                        .more_meta = R"("deletionTimestamp":"2026-01-01T00:00:00Z")",
                        .more_status = R"("nominatedNodeName":"a")"};
  cluster.AddPod("leaving", leaving);
  cluster.AddPod("low", {.cpu = "1", .priority = 1});
  cluster.Settle();
  ASSERT_EQ(hooked.engine().queue().Find("uid-leaving"), nullptr) << "its turn has come, and it was skipped";
  cluster.RemovePod("leaving");
  cluster.RemovePod("holds");
  cluster.Pass(seconds(30));
  EXPECT_EQ(cluster.NodeOf("low"), "a");
}

TEST(AroundDecisions, PluginsMayEndBeforeTheWorkTheyAskedFor) {
  for (const bool at_bind : {false, true}) {
    Log log;
    auto plugin = std::make_shared<FakeBinding>("Fake", log);
    const auto ask_and_end = [](framework::BindingWork& work) {
      work.Patch({{"Namespace", "", "none"}, "", "", "{}"});
      work.RunElsewhere([](const std::stop_token&) { return Status::Success(); });
    };
    if (at_bind) {
      plugin->run_bind = [&](const framework::Wake&, framework::BindWork& work) {
        ask_and_end(work);
        return framework::BindingProgress::Done(Status::FromError("not today"));
      };
    } else {
      plugin->bind = Status::Skip();
      plugin->run_pre_bind = [&](const framework::Wake&, framework::BindingWork& work) {
        ask_and_end(work);
        return framework::BindingProgress::Done(Status::Success());
      };
    }
    Hooked hooked({Fake("Fake", plugin)});
    LiveCluster& cluster = *hooked.cluster;
    cluster.AddNode("a");
    cluster.AddPod("p");
    cluster.Settle();
    EXPECT_EQ(hooked.engine().attempts_under_way(), 0U) << at_bind;
    EXPECT_EQ(cluster.NodeOf("p"), at_bind ? "" : "a");
  }
}

// Any number of pods wait in PreBind without a thread, and others are decided meanwhile.
TEST(AroundDecisions, TenThousandPodsWaitInPreBind) {
  Log log;
  auto plugin = std::make_shared<FakeBinding>("Fake", log);
  plugin->bind = Status::Skip();
  plugin->run_pre_bind = [](const framework::Wake& wake, framework::BindingWork&) {
    if (wake.reason == framework::Wake::Reason::Change) return framework::BindingProgress::Done(Status::Success());
    framework::BindingProgress progress = framework::BindingProgress::Wait();
    progress.wake_on.push_back({"Namespace", "", "gate"});
    return progress;
  };
  Hooked hooked({Fake("Fake", plugin)});
  LiveCluster& cluster = *hooked.cluster;
  constexpr size_t kPods = 10'000;
  for (int i = 0; i < 100; ++i) cluster.AddNode("n" + std::to_string(i), "110");
  std::vector<store::Operation> pods;
  for (size_t i = 0; i < kPods; ++i) pods.push_back(PodOperation("p" + std::to_string(i), {.cpu = "1"}));
  cluster.Write(std::move(pods));
  cluster.Settle();
  EXPECT_EQ(hooked.engine().attempts_under_way(), kPods);
  EXPECT_EQ(cluster.UnboundPods(), kPods);
  store::Operation gate;
  gate.key = {"Namespace", "", "gate"};
  gate.uid = "gate";
  gate.value = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"gate"}})";
  cluster.Write({gate});
  cluster.Settle();
  EXPECT_EQ(hooked.engine().attempts_under_way(), 0U);
  EXPECT_EQ(cluster.UnboundPods(), 0U);
}

TEST(AroundDecisions, ListsThatFailAreRepeatedEverMoreSeldom) {
  Hooked hooked;
  int lists = 0;
  hooked.hooks.on_list = [&]() -> std::optional<Error> {
    ++lists;
    return Error{ErrorCode::Unavailable, "not now"};
  };
  hooked.cluster->Pass(minutes(5));
  EXPECT_GE(lists, 8);
  EXPECT_LE(lists, 20) << "0.8 s, then twice as long each time, 30 s at most, and as long again by jitter";
  hooked.hooks.on_list = nullptr;
  hooked.cluster->AddNode("a");
  hooked.cluster->AddPod("p");
  hooked.cluster->Pass(minutes(2));
  EXPECT_EQ(hooked.cluster->NodeOf("p"), "a");
}

}  // namespace
}  // namespace berth::test
