// SPDX-License-Identifier: Apache-2.0
// A pod's way through the whole scheduler, one situation a test.
#include "engine/live_cluster.h"
#include "engine/test_plugins.h"
#include "plugins/registry.h"

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::Status;
using queue::Place;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Lines = std::vector<std::string>;

TEST(Engine, APodIsPlacedBoundAndReported) {
  LiveCluster cluster;
  cluster.AddNode("a");
  cluster.AddPod("p");
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("p"), "a");
  EXPECT_EQ(cluster.EventsOf("p"), (Lines{"Scheduled: Successfully assigned default/p to a"}));
  EXPECT_EQ(cluster.PlaceOf("p"), Place::None);
  EXPECT_EQ(cluster.engine().attempts_under_way(), 0U);
  EXPECT_EQ(cluster.engine().counts().bound, 1U);
  EXPECT_EQ(cluster.engine().CheckInvariants(), "");
}

TEST(Engine, PodsThatAreThereAtTheStartCount) {
  LiveCluster cluster;
  cluster.AddNode("a", "1");
  cluster.AddNode("b", "1");
  cluster.AddPod("running", {.cpu = "800m", .node = "a"});
  cluster.AddPod("p", {.cpu = "500m"});
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("p"), "b");
}

TEST(Engine, PodsOfOtherSchedulersAreLeftAlone) {
  LiveCluster cluster;
  cluster.AddNode("a");
  cluster.AddPod("p", {.scheduler = "somebody-else"});
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("p"), "");
  EXPECT_EQ(cluster.PlaceOf("p"), Place::None);
  EXPECT_TRUE(cluster.EventsOf("p").empty());
}

TEST(Engine, AnUnschedulablePodIsToldWhyAndWokenByTheNodeItNeeds) {
  LiveCluster cluster;
  cluster.AddNode("a", "1");
  cluster.AddPod("p", {.cpu = "2"});
  cluster.Settle();
  EXPECT_EQ(cluster.PlaceOf("p"), Place::Unschedulable);
  const std::string message =
      "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: "
      "1 "
      "Preemption is not helpful for scheduling.";
  EXPECT_EQ(cluster.EventsOf("p"), (Lines{"FailedScheduling: " + message}));
  const std::string document = cluster.DocumentOf("p");
  EXPECT_NE(document.find(R"("type":"PodScheduled")"), std::string::npos) << document;
  EXPECT_NE(document.find(R"("reason":"Unschedulable")"), std::string::npos) << document;
  EXPECT_NE(document.find(message), std::string::npos) << document;

  cluster.AddNode("too-small", "1");
  cluster.Settle();
  EXPECT_EQ(cluster.PlaceOf("p"), Place::Unschedulable) << "this node cannot help";
  cluster.AddNode("b", "4");
  cluster.Settle();
  EXPECT_EQ(cluster.PlaceOf("p"), Place::None) << "an idle scheduler does not wait for the end of the backoff";
  EXPECT_EQ(cluster.NodeOf("p"), "b");
}

TEST(Engine, AFreedNodeWakesThePodsThatWaitForRoom) {
  LiveCluster cluster;
  cluster.AddNode("a", "1");
  cluster.AddPod("running", {.cpu = "1", .node = "a"});
  cluster.AddPod("p", {.cpu = "1"});
  cluster.Settle();
  EXPECT_EQ(cluster.PlaceOf("p"), Place::Unschedulable);
  cluster.RemovePod("running");
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("p"), "a");
}

TEST(Engine, WithoutNodesPodsAreTriedAgainByBackoff) {
  LiveCluster cluster;
  cluster.AddPod("p");
  cluster.Settle();
  EXPECT_EQ(cluster.EventsOf("p"), (Lines{"FailedScheduling: no nodes available to schedule pods"}));
  EXPECT_EQ(cluster.PlaceOf("p"), Place::ErrorBackoff);
  cluster.AddNode("a");
  cluster.Settle();
  EXPECT_EQ(cluster.PlaceOf("p"), Place::ErrorBackoff) << "no plugin rejected it, so no event wakes it";
  cluster.Pass(seconds(3));
  EXPECT_EQ(cluster.NodeOf("p"), "a");
}

TEST(Engine, GatedPodsWaitUntilTheirGateIsGone) {
  LiveCluster cluster;
  cluster.AddNode("a");
  cluster.AddPod("p", {.more_spec = R"("schedulingGates":[{"name":"quota"}])"});
  cluster.Settle();
  EXPECT_EQ(cluster.PlaceOf("p"), Place::Gated);
  cluster.Pass(minutes(20));
  EXPECT_EQ(cluster.PlaceOf("p"), Place::Gated);
  EXPECT_EQ(cluster.engine().counts().attempts, 0U);
  cluster.UpdatePod("p", {});
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("p"), "a");
}

TEST(Engine, AMoreImportantPodEvictsNominatesAndGetsTheNode) {
  LiveCluster cluster;
  cluster.AddNode("a", "1");
  cluster.AddPod("low", {.cpu = "1", .priority = 1, .node = "a"});
  cluster.AddPod("high", {.cpu = "1", .priority = 10});
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("low"), "gone");
  EXPECT_EQ(cluster.NodeOf("high"), "a");
  EXPECT_EQ(cluster.EventsOf("low"), (Lines{"Preempted: Preempted by pod uid-high on node a"}));
  ASSERT_EQ(cluster.EventsOf("high").size(), 2U);
  EXPECT_EQ(cluster.EventsOf("high").back(), "Scheduled: Successfully assigned default/high to a");
  EXPECT_TRUE(cluster.engine().nominated().NodesWithNominations().empty());
}

// The promised node is judged alone, so nothing is known about the others: neither about those that turned an earlier
// pod down, nor about those that have come since.
TEST(Engine, ADecisionForThePromisedNodeRecordsNoRejectionsOfOthers) {
  LiveCluster cluster;
  cluster.AddNode("a", "4");
  cluster.AddNode("small", "1");
  cluster.AddPod("before", {.cpu = "2"});
  cluster.Settle();
  ASSERT_EQ(cluster.engine().log().OfPod("uid-before").back().rejections.size(), 1U);
  for (int i = 0; i < 3; ++i) cluster.AddNode("new" + std::to_string(i), "1");
  cluster.AddPod("promised", {.cpu = "1", .more_status = R"("nominatedNodeName":"a")"});
  cluster.Settle();
  const scheduler::DecisionRecord record = cluster.engine().log().OfPod("uid-promised").back();
  EXPECT_EQ(record.node, "a");
  EXPECT_EQ(record.feasible, 1U) << "no other was looked at";
  EXPECT_TRUE(record.rejections.empty());
}

TEST(Engine, APodThatAnotherSchedulerBoundFirstIsNotTriedAgain) {
  LiveCluster cluster;
  cluster.AddNode("a");
  cluster.AddNode("b");
  cluster.AddPod("p");
  // The scheduler hears of the pod and decides; before its binding is written, another one's is.
  store::Binding theirs{{"Pod", "default", "p"}, "uid-p", "b", 0, 0};
  std::string ours;
  cluster.engine().log().SetSink([&](const scheduler::DecisionRecord& record) {
    ours = record.node;
    theirs.node = record.node == "a" ? "b" : "a";
    ASSERT_TRUE(cluster.store.Bind({&theirs, 1}, std::nullopt).has_value());
  });
  cluster.Settle();
  EXPECT_NE(ours, "");
  EXPECT_EQ(cluster.NodeOf("p"), theirs.node);
  EXPECT_EQ(cluster.engine().cluster().NodeOf("uid-p"), theirs.node) << "the room we took is free again";
  EXPECT_EQ(cluster.PlaceOf("p"), Place::None);
  cluster.Pass(minutes(10));
  EXPECT_EQ(cluster.engine().counts().attempts, 1U);
  EXPECT_EQ(cluster.engine().CheckInvariants(), "");
}

TEST(Engine, APodDeletedWhileItIsBoundLeavesNothingBehind) {
  LiveCluster cluster;
  cluster.AddNode("a", "1");
  cluster.AddPod("p", {.cpu = "1"});
  cluster.engine().log().SetSink([&](const scheduler::DecisionRecord& record) {
    if (record.pod == "default/p") cluster.RemovePod("p");
  });
  cluster.Settle();
  EXPECT_EQ(cluster.engine().cluster().FindPod("uid-p"), nullptr);
  EXPECT_EQ(cluster.engine().attempts_under_way(), 0U);
  EXPECT_EQ(cluster.PlaceOf("p"), Place::None);
  cluster.AddPod("q", {.cpu = "1"});
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("q"), "a");
}

TEST(Engine, ANodeThatVanishesTakesItsPodsOutOfSightUntilItReturns) {
  LiveCluster cluster;
  cluster.AddNode("a", "1");
  cluster.AddPod("p", {.cpu = "1"});
  cluster.Settle();
  cluster.RemoveNode("a");
  cluster.AddPod("q", {.cpu = "1"});
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("q"), "");
  cluster.AddNode("a", "1");
  cluster.Pass(minutes(10));
  EXPECT_EQ(cluster.NodeOf("q"), "") << "p is still on it";
  EXPECT_EQ(cluster.engine().CheckInvariants(), "");
}

// Holds every pod back; tests say what becomes of them.
struct Holder final : framework::PermitPlugin, framework::ReservePlugin, framework::EnqueueExtensions {
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override {
    return {{{framework::EventResource::Node, framework::kAdd}, nullptr}};
  }
  framework::PermitResult Permit(framework::CycleState&, const framework::PodInfo&, std::string_view) override {
    return {verdict, timeout};
  }
  Status Reserve(framework::CycleState&, const framework::PodInfo&, std::string_view) override {
    ++reserved;
    return reserve;
  }
  void Unreserve(framework::CycleState&, const framework::PodInfo&, std::string_view) override { --reserved; }
  Status verdict = Status::Wait();
  Status reserve;
  Duration timeout = seconds(30);
  int reserved = 0;
};

class Permit : public testing::Test {
 protected:
  Permit() {
    framework::Registry registry = plugins::InTreeRegistry();
    std::vector<config::ProfilePlan> plans = DefaultPlansWith(registry, {EntryOf("Holder", holder_)});
    cluster_ = std::make_unique<LiveCluster>(std::move(registry), std::move(plans));
    cluster_->AddNode("a", "1");
    cluster_->AddPod("p", {.cpu = "1"});
  }
  void With(const std::function<void(framework::WaitingPod&)>& what) {
    EXPECT_TRUE(cluster_->engine().waiting_pods().With("uid-p", what));
  }

  std::shared_ptr<Holder> holder_ = std::make_shared<Holder>();
  std::unique_ptr<LiveCluster> cluster_;
};

TEST_F(Permit, APodThatIsAllowedGoesOn) {
  cluster_->Settle();
  EXPECT_EQ(cluster_->NodeOf("p"), "");
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::InFlight);
  EXPECT_EQ(cluster_->engine().CheckInvariants(), "");
  EXPECT_NE(cluster_->DocumentOf("p").find(R"("nominatedNodeName":"a")"), std::string::npos);
  With([](framework::WaitingPod& pod) { pod.Allow("Holder"); });
  cluster_->Settle();
  EXPECT_EQ(cluster_->NodeOf("p"), "a");
  EXPECT_EQ(holder_->reserved, 1);
}

TEST_F(Permit, APodThatIsRejectedGivesItsRoomBackAndWaitsForThatPlugin) {
  cluster_->Settle();
  With([](framework::WaitingPod& pod) { pod.Reject("Holder", "not today"); });
  cluster_->Settle();
  EXPECT_EQ(holder_->reserved, 0);
  EXPECT_EQ(cluster_->engine().cluster().FindPod("uid-p"), nullptr);
  EXPECT_EQ(cluster_->EventsOf("p"), (Lines{"FailedScheduling: 0/1 nodes are available: 1 not today."}));
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::Unschedulable);
  EXPECT_EQ(cluster_->DocumentOf("p").find(R"("nominatedNodeName":"a")"), std::string::npos) << "the promise is void";
}

TEST_F(Permit, AnAnswerThatNeverComesIsARejection) {
  cluster_->Pass(seconds(29));
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::InFlight);
  cluster_->Pass(seconds(2));
  EXPECT_EQ(cluster_->EventsOf("p"),
            (Lines{"FailedScheduling: 0/1 nodes are available: 1 rejected due to timeout after "
                   "waiting 30s at plugin Holder."}));
}

TEST_F(Permit, NobodyWaitsLongerThanFifteenMinutes) {
  holder_->timeout = std::chrono::hours(5);
  cluster_->Pass(minutes(15) - seconds(1));
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::InFlight);
  cluster_->Pass(seconds(2));
  EXPECT_NE(cluster_->PlaceOf("p"), Place::InFlight);
}

TEST_F(Permit, APodDeletedWhileItWaitsIsForgotten) {
  cluster_->Settle();
  cluster_->RemovePod("p");
  cluster_->AddPod("q", {.cpu = "1"});
  holder_->verdict = Status::Success();
  cluster_->Settle();
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::None);
  EXPECT_EQ(cluster_->engine().waiting_pods().size(), 0U);
  EXPECT_EQ(cluster_->NodeOf("q"), "a");
  EXPECT_EQ(holder_->reserved, 1) << "q's; p's was given back";
}

TEST_F(Permit, APodThatAnotherSchedulerBindsElsewhereWaitsNoLonger) {
  cluster_->Settle();
  holder_->verdict = Status::Success();
  cluster_->AddNode("b", "1");
  cluster_->AddPod("q", {.cpu = "1", .more_spec = R"("nodeSelector":{"kubernetes.io/hostname":"a"})"});
  cluster_->Settle();
  ASSERT_EQ(cluster_->PlaceOf("q"), Place::Unschedulable) << "p has taken the room";
  const store::Binding theirs{{"Pod", "default", "p"}, "uid-p", "b", 0, 0};
  ASSERT_TRUE(cluster_->store.Bind({&theirs, 1}, std::nullopt));
  cluster_->Settle();
  EXPECT_EQ(cluster_->engine().waiting_pods().size(), 0U);
  EXPECT_EQ(cluster_->engine().attempts_under_way(), 0U);
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::None);
  EXPECT_EQ(cluster_->engine().cluster().NodeOf("uid-p"), "b");
  EXPECT_EQ(cluster_->NodeOf("q"), "a") << "the room is free";
  EXPECT_EQ(holder_->reserved, 1) << "q's; p's was given back";
  EXPECT_EQ(cluster_->engine().CheckInvariants(), "");
}

TEST_F(Permit, AMoreImportantPodTurnsAWaitingOneAwayInMemory) {
  cluster_->Settle();
  holder_->verdict = Status::Success();
  cluster_->AddPod("high", {.cpu = "1", .priority = 10});
  cluster_->Settle();
  EXPECT_EQ(cluster_->NodeOf("high"), "a");
  EXPECT_EQ(cluster_->NodeOf("p"), "") << "it was not deleted";
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::ErrorBackoff);
}

TEST_F(Permit, AReservationThatFailsIsUndone) {
  holder_->reserve = Status::Unschedulable("taken");
  cluster_->Settle();
  EXPECT_EQ(holder_->reserved, 0);
  EXPECT_EQ(cluster_->engine().cluster().FindPod("uid-p"), nullptr);
  EXPECT_EQ(cluster_->EventsOf("p"), (Lines{"FailedScheduling: 0/1 nodes are available: 1 taken."}));
}

}  // namespace
}  // namespace berth::test
