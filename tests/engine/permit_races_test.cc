// SPDX-License-Identifier: Apache-2.0
// Pods that wait at Permit: answers that never come, come from several plugins, or come from many threads at once.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/live_cluster.h"
#include "engine/running_cluster.h"
#include "engine/test_plugins.h"
#include "plugins/registry.h"

#include <atomic>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::WaitingPod;
using queue::Place;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Two plugins that hold pods back, one asked after the other.
class TwoHolders : public testing::Test {
 protected:
  TwoHolders() {
    framework::Registry registry = plugins::InTreeRegistry();
    std::vector<config::ProfilePlan> plans =
        DefaultPlansWith(registry, {EntryOf("First", first_), EntryOf("Second", second_)});
    cluster_ = std::make_unique<LiveCluster>(std::move(registry), std::move(plans));
    cluster_->AddNode("a", "1");
    first_->wait = seconds(10);
    second_->wait = seconds(60);
  }
  void With(const std::function<void(WaitingPod&)>& what) {
    EXPECT_TRUE(cluster_->engine().waiting_pods().With("uid-p", what));
    cluster_->Settle();
  }
  void Start() {
    cluster_->AddPod("p", {.cpu = "1"});
    cluster_->Settle();
    ASSERT_EQ(cluster_->PlaceOf("p"), Place::InFlight);
  }

  std::shared_ptr<PermitHolder> first_ = std::make_shared<PermitHolder>();
  std::shared_ptr<PermitHolder> second_ = std::make_shared<PermitHolder>();
  std::unique_ptr<LiveCluster> cluster_;
};

TEST_F(TwoHolders, EachMustAllow) {
  Start();
  With([](WaitingPod& pod) { pod.Allow("Second"); });
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::InFlight);
  With([](WaitingPod& pod) { pod.Allow("Second"); });
  With([](WaitingPod& pod) { pod.Allow("Nobody"); });
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::InFlight);
  With([](WaitingPod& pod) { pod.Allow("First"); });
  EXPECT_EQ(cluster_->NodeOf("p"), "a");
}

TEST_F(TwoHolders, TheShortestWaitThatIsLeftCounts) {
  Start();
  cluster_->Pass(seconds(5));
  With([](WaitingPod& pod) { pod.Allow("First"); });
  cluster_->Pass(seconds(50));
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::InFlight);
  cluster_->Pass(seconds(6));
  EXPECT_NE(cluster_->EventsOf("p").at(0).find("waiting 1m0s at plugin Second"), std::string::npos);
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::Unschedulable);
}

TEST_F(TwoHolders, OneRejectionIsEnough) {
  Start();
  With([](WaitingPod& pod) {
    pod.Allow("First");
    pod.Reject("Second", "no");
    pod.Allow("Second");
  });
  EXPECT_EQ(cluster_->NodeOf("p"), "");
  EXPECT_EQ(cluster_->engine().cluster().FindPod("uid-p"), nullptr);
  EXPECT_EQ(Disagreements(cluster_->engine(), *cluster_), "");
}

TEST_F(TwoHolders, AnAnswerInTheMomentOfTheTimeoutCountsOnce) {
  Start();
  cluster_->clock.Advance(seconds(10));
  // The time is up, but nobody has looked yet.
  EXPECT_TRUE(cluster_->engine().waiting_pods().With("uid-p", [](WaitingPod& pod) {
    pod.Allow("First");
    pod.Allow("Second");
  }));
  cluster_->Settle();
  EXPECT_EQ(cluster_->NodeOf("p"), "a");
  EXPECT_EQ(cluster_->engine().CheckInvariants(), "");
}

TEST_F(TwoHolders, ManyPodsThatAreNeverAnsweredAreAllTriedAgain) {
  cluster_->AddNode("b", "100");
  for (int i = 0; i < 100; ++i) cluster_->AddPod("p" + std::to_string(i), {.cpu = "1"});
  cluster_->Settle();
  EXPECT_EQ(cluster_->engine().waiting_pods().size(), 100U);
  EXPECT_EQ(Disagreements(cluster_->engine(), *cluster_), "");
  cluster_->Pass(seconds(11));
  EXPECT_EQ(cluster_->engine().waiting_pods().size(), 0U);
  EXPECT_EQ(cluster_->engine().attempts_under_way(), 0U);
  EXPECT_EQ(cluster_->engine().queue().sizes().unschedulable, 100U);
  first_->wait = Duration::zero();
  second_->wait = Duration::zero();
  cluster_->AddNode("c", "1");
  cluster_->Pass(minutes(1));
  EXPECT_EQ(cluster_->UnboundPods(), 0U);
  EXPECT_EQ(Disagreements(cluster_->engine(), *cluster_), "");
}

// With threads: a cluster whose rejected pods are woken by new nodes, of which the test adds some until all are bound.
class PermitRaces : public testing::Test {
 protected:
  PermitRaces() {
    cluster_.plans = DefaultPlansWith(cluster_.registry, {EntryOf("First", first_), EntryOf("Second", second_)});
    cluster_.AddNodes(10, "8");
    scheduler::SchedulerOptions options;
    options.engine.queue.initial_backoff = milliseconds(10);
    options.engine.queue.max_backoff = milliseconds(20);
    scheduler_ = cluster_.NewScheduler(options);
  }
  // `enough` says when pods need not wait any more.
  bool BoundByNewNodes(const std::function<bool()>& enough) {
    int nodes = 0;
    return Eventually([&] {
      if (cluster_.AllBound()) return true;
      if (enough()) first_->wait = second_->wait = Duration::zero();
      cluster_.AddNode("new" + std::to_string(nodes++), "1");
      return false;
    });
  }
  void ExpectAgreement() {
    EXPECT_TRUE(Eventually([&] { return DisagreementsOf(*scheduler_, cluster_).empty(); }))
        << DisagreementsOf(*scheduler_, cluster_);
    EXPECT_EQ(audit_.Problems(), "");
  }

  std::shared_ptr<PermitHolder> first_ = std::make_shared<PermitHolder>();
  std::shared_ptr<PermitHolder> second_ = std::make_shared<PermitHolder>();
  RunningCluster cluster_;
  HistoryAudit audit_{cluster_.store};
  std::unique_ptr<scheduler::Scheduler> scheduler_;
};

TEST_F(PermitRaces, WhoIsNeverAnsweredTimesOutAndIsTriedAgain) {
  first_->wait = milliseconds(20);
  scheduler_->Start();
  cluster_.AddPods("p", 200, {.cpu = "300m"});
  // Every pod waits, and is turned away, at least once.
  EXPECT_TRUE(Eventually([&] {
    uint64_t turned_away = 0;
    scheduler_->Ask([&](scheduler::Engine& engine) { turned_away = engine.counts().unschedulable; });
    return turned_away >= 200;
  }));
  EXPECT_TRUE(BoundByNewNodes([] { return true; }));
  ExpectAgreement();
}

TEST_F(PermitRaces, AnswersFromManyThreadsRaceWithTheTimeout) {
  first_->wait = milliseconds(5);
  second_->wait = milliseconds(7);
  runtime::WaitingPodTable& waiting = scheduler_->engine().waiting_pods();
  std::atomic<bool> done = false;
  std::atomic<uint64_t> answers = 0;
  std::vector<std::jthread> judges;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    judges.emplace_back([&, seed] {
      Rng rng(seed);
      while (!done) {
        waiting.ForEach([&](WaitingPod& pod) {
          const char* plugin = rng.Below(2) == 0 ? "First" : "Second";
          answers.fetch_add(1);
          if (rng.Below(4) == 0) {
            pod.Reject(plugin, "by chance");
          } else {
            pod.Allow(plugin);
          }
        });
        std::this_thread::yield();
      }
    });
  }
  scheduler_->Start();
  cluster_.AddPods("p", 150, {.cpu = "300m"}, 10);
  // However slow the judges are, they have had their say in the end, and the pods that are left go on without them.
  constexpr uint64_t kEnough = 5'000;
  EXPECT_TRUE(BoundByNewNodes([&] { return answers.load() >= kEnough; }));
  done = true;
  judges.clear();
  ExpectAgreement();
  EXPECT_GT(answers.load(), 0U);
  EXPECT_EQ(audit_.bindings(), 150U);
}

TEST_F(PermitRaces, PodsDeletedWhileTheyWaitLeaveNothing) {
  first_->wait = minutes(10);
  scheduler_->Start();
  cluster_.AddPods("p", 100, {.cpu = "700m"});
  runtime::WaitingPodTable& waiting = scheduler_->engine().waiting_pods();
  ASSERT_TRUE(Eventually([&] { return waiting.size() == 100; }));
  // While they go, somebody allows every third of them.
  std::jthread judge([&] {
    for (int i = 0; i < 100; i += 3) {
      waiting.With("uid-p" + std::to_string(i), [](WaitingPod& pod) { pod.Allow("First"); });
    }
  });
  for (int i = 0; i < 100; ++i) cluster_.RemovePod("p" + std::to_string(i));
  judge.join();
  EXPECT_TRUE(Eventually([&] { return RunningCluster::IsQuiet(*scheduler_); }));
  EXPECT_EQ(waiting.size(), 0U);
  first_->wait = Duration::zero();
  cluster_.AddPods("q", 100, {.cpu = "700m"});
  EXPECT_TRUE(Eventually([&] { return cluster_.AllBound(); })) << "their room is free";
  ExpectAgreement();
}

TEST_F(PermitRaces, AStoppedSchedulerLetsWaitingPodsGo) {
  first_->wait = minutes(10);
  scheduler_->Start();
  cluster_.AddPods("p", 50);
  ASSERT_TRUE(Eventually([&] { return scheduler_->engine().waiting_pods().size() == 50; }));
  scheduler_ = nullptr;
  EXPECT_EQ(cluster_.UnboundPods(), 50U);
}

}  // namespace
}  // namespace berth::test
