// SPDX-License-Identifier: Apache-2.0
// Several schedulers over one store: with a lease only one of them decides, and who has lost it writes nothing more.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/hooked_store.h"
#include "engine/live_cluster.h"
#include "engine/running_cluster.h"
#include "engine/test_plugins.h"
#include "plugins/registry.h"
#include "support/faulty_store.h"

#include <thread>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

scheduler::SchedulerOptions Candidate(const std::string& holder) {
  scheduler::SchedulerOptions options;
  options.leader = scheduler::LeadershipOptions{};
  options.leader->holder = holder;
  return options;
}

// Two schedulers, driven by hand. Each sees the store through its own line.
class TwoCandidates : public testing::Test {
 protected:
  TwoCandidates()
      : cluster_(plugins::InTreeRegistry(), DefaultPlans(plugins::InTreeRegistry()), Candidate("a"), &line_a_) {
    line_a_.Wrap(cluster_.store);
    line_b_.Wrap(cluster_.store);
    b_ = std::move(scheduler::Scheduler::Create(DefaultPlans(cluster_.registry), cluster_.registry, line_b_,
                                                cluster_.clock, Candidate("b"), /*threads=*/false)
                       .value());
  }
  static void Settle(scheduler::Scheduler& scheduler) {
    while (scheduler.Pump()) {
    }
  }
  // Both work; time passes in small steps.
  void Pass(Duration duration) {
    for (Duration passed{}; passed < duration; passed += milliseconds(100)) {
      Settle(a());
      Settle(b());
      cluster_.clock.Advance(milliseconds(100));
    }
    Settle(a());
    Settle(b());
  }
  void AddPods(const std::string& prefix, int count, const PodWish& wish = {}) {
    for (int i = 0; i < count; ++i) cluster_.AddPod(prefix + std::to_string(i), wish);
  }
  scheduler::Scheduler& a() { return *cluster_.scheduler; }
  scheduler::Scheduler& b() { return *b_; }
  std::string LeaseHolder() {
    const std::optional<store::Lease> lease = cluster_.store.ObserveLease("kube-scheduler").value();
    return lease ? lease->holder : "";
  }

  FaultyStore line_a_;
  FaultyStore line_b_;
  LiveCluster cluster_;
  std::unique_ptr<scheduler::Scheduler> b_;
};

TEST_F(TwoCandidates, OnlyTheHolderOfTheLeaseDecides) {
  HistoryAudit audit(cluster_.store);
  cluster_.AddNode("n", "4");
  Pass(seconds(1));
  AddPods("p", 10);
  Pass(seconds(60));
  EXPECT_EQ(LeaseHolder(), "a");
  EXPECT_EQ(a().engine().counts().bound, 10U);
  EXPECT_EQ(b().engine().counts().attempts, 0U);
  EXPECT_EQ(b().engine().queue().sizes().active, 0U) << "it has heard of the bindings";
  EXPECT_EQ(audit.Problems(), "");
}

TEST_F(TwoCandidates, WhoCannotRenewStopsDecidingBeforeAnotherBegins) {
  cluster_.AddNode("n", "4");
  Pass(seconds(5));
  ASSERT_EQ(LeaseHolder(), "a");
  line_a_.leases_unreachable = true;
  AddPods("early", 3);
  Pass(seconds(5));
  EXPECT_EQ(a().engine().counts().bound, 3U) << "the lease is still good";
  Pass(seconds(6));
  AddPods("between", 3);
  Pass(seconds(2));
  EXPECT_EQ(LeaseHolder(), "a") << "it has not run out";
  EXPECT_EQ(a().engine().counts().attempts, 3U) << "and yet its holder has stopped";
  EXPECT_EQ(b().engine().counts().attempts, 0U);
  Pass(seconds(6));
  EXPECT_EQ(LeaseHolder(), "b");
  EXPECT_EQ(b().engine().counts().bound, 3U);
  EXPECT_EQ(cluster_.UnboundPods(), 0U);
  line_a_.leases_unreachable = false;
  AddPods("late", 3);
  Pass(seconds(30));
  EXPECT_EQ(LeaseHolder(), "b");
  EXPECT_EQ(a().engine().counts().attempts, 3U);
  EXPECT_EQ(b().engine().counts().bound, 6U);
  EXPECT_EQ(Disagreements(a().engine(), cluster_), "");
  EXPECT_EQ(Disagreements(b().engine(), cluster_), "");
}

// Its bindings were decided while it led, and come through when it leads no more.
TEST_F(TwoCandidates, LateWritesOfTheOneBeforeAreRefused) {
  HistoryAudit audit(cluster_.store);
  cluster_.AddNode("n", "2");
  cluster_.AddNode("m", "2");
  Pass(seconds(5));
  line_a_.Set({.unavailable_write = 1});
  line_a_.leases_unreachable = true;
  AddPods("p", 20, {.cpu = "200m"});
  Settle(a());
  EXPECT_EQ(a().engine().attempts_under_way(), 20U);
  // It hangs until the lease is somebody else's.
  cluster_.clock.Advance(seconds(20));
  b().Pump();
  ASSERT_EQ(LeaseHolder(), "b");
  line_a_.Set({});
  line_a_.leases_unreachable = false;
  Settle(a());
  EXPECT_EQ(a().engine().counts().bound, 0U);
  EXPECT_EQ(cluster_.UnboundPods(), 20U - b().engine().counts().attempts)
      << "nothing that was written came from the one before";
  Pass(seconds(30));
  EXPECT_EQ(a().engine().counts().bound, 0U);
  EXPECT_EQ(b().engine().counts().bound, 20U);
  EXPECT_EQ(audit.Problems(), "");
  EXPECT_EQ(Disagreements(a().engine(), cluster_), "");
}

TEST_F(TwoCandidates, EvictionsOfTheOneBeforeAreDropped) {
  cluster_.AddNode("n", "1");
  cluster_.AddPod("low", {.cpu = "1", .priority = 1, .node = "n"});
  Pass(seconds(5));
  line_a_.Set({.unavailable_write = 1});
  line_a_.leases_unreachable = true;
  cluster_.AddPod("high", {.cpu = "1", .priority = 10});
  Settle(a());
  cluster_.RemovePod("high");
  cluster_.clock.Advance(seconds(20));
  Settle(b());
  ASSERT_EQ(LeaseHolder(), "b");
  line_a_.Set({});
  Pass(seconds(30));
  EXPECT_EQ(cluster_.NodeOf("low"), "n") << "nobody needs its room";
  EXPECT_FALSE(a().engine().evictions().IsPreempting("uid-high"));
}

// The successor knows an empty node from before; since then its predecessor has filled it.
TEST_F(TwoCandidates, TheSuccessorHearsFirstWhatThePredecessorDid) {
  HistoryAudit audit(cluster_.store);
  ASSERT_TRUE(cluster_.store.AcquireLease("kube-scheduler", "a", seconds(15)));
  cluster_.AddNode("n", "1");
  cluster_.AddPod("patient", {.cpu = "1"});
  Settle(b());
  for (int i = 0; i < 10; ++i) cluster_.UpdateNode("n", "1", R"("change":")" + std::to_string(i) + "\"");
  cluster_.AddPod("urgent", {.cpu = "1", .priority = 10});
  Settle(a());
  ASSERT_EQ(cluster_.NodeOf("urgent"), "n");
  cluster_.clock.Advance(seconds(20));
  Settle(b());
  ASSERT_EQ(LeaseHolder(), "b");
  EXPECT_EQ(cluster_.NodeOf("patient"), "");
  EXPECT_EQ(audit.Problems(), "");
  cluster_.RemovePod("urgent");
  Settle(b());
  EXPECT_EQ(cluster_.NodeOf("patient"), "n");
}

TEST_F(TwoCandidates, TheLeadChangesHandsManyTimes) {
  HistoryAudit audit(cluster_.store);
  for (int i = 0; i < 4; ++i) cluster_.AddNode("n" + std::to_string(i), "4");
  Pass(seconds(3));
  for (int turn = 0; turn < 8; ++turn) {
    FaultyStore& leader = turn % 2 == 0 ? line_a_ : line_b_;
    AddPods("before" + std::to_string(turn) + "-", 5, {.cpu = "200m"});
    Pass(milliseconds(200));
    leader.leases_unreachable = true;
    leader.Set({.unavailable_write = 2, .lost_answer = 3});
    AddPods("after" + std::to_string(turn) + "-", 5, {.cpu = "200m"});
    Pass(seconds(25));
    leader.leases_unreachable = false;
    leader.Set({});
    EXPECT_EQ(LeaseHolder(), turn % 2 == 0 ? "b" : "a");
  }
  Pass(seconds(60));
  EXPECT_EQ(cluster_.UnboundPods(), 0U);
  EXPECT_EQ(audit.Problems(), "");
  EXPECT_EQ(audit.bindings(), 80U);
  EXPECT_EQ(Disagreements(a().engine(), cluster_), "");
  EXPECT_EQ(Disagreements(b().engine(), cluster_), "");
}

scheduler::SchedulerOptions QuickCandidate(const std::string& holder) {
  scheduler::SchedulerOptions options = Candidate(holder);
  options.leader->lease_duration = milliseconds(400);
  options.leader->renew_deadline = milliseconds(250);
  options.leader->retry_period = milliseconds(20);
  options.engine.queue.initial_backoff = milliseconds(20);
  options.engine.queue.max_backoff = milliseconds(100);
  return options;
}

uint64_t BoundBy(scheduler::Scheduler& scheduler) {
  uint64_t bound = 0;
  scheduler.Ask([&](scheduler::Engine& engine) { bound = engine.counts().bound; });
  return bound;
}

TEST(Leadership, AReleasedLeaseIsTakenWithoutWaitingForItsEnd) {
  RunningCluster cluster;
  cluster.AddNodes(2, "4");
  scheduler::SchedulerOptions options = QuickCandidate("a");
  options.leader->lease_duration = std::chrono::hours(1);
  const auto a = cluster.NewScheduler(options);
  a->Start();
  cluster.AddPod("p");
  ASSERT_TRUE(Eventually([&] { return cluster.AllBound(); }));
  options.leader->holder = "b";
  const auto b = cluster.NewScheduler(options);
  b->Start();
  cluster.AddPod("q");
  ASSERT_TRUE(Eventually([&] { return cluster.AllBound(); }));
  EXPECT_EQ(BoundBy(*b), 0U);
  a->Stop();
  cluster.AddPod("r");
  EXPECT_TRUE(Eventually([&] { return cluster.AllBound(); })) << "an hour is longer than anybody waits here";
  EXPECT_TRUE(Eventually([&] { return BoundBy(*b) == 1U; }));
}

// As delayCacheUntilActive asks for.
TEST(Leadership, WhoWaitsForTheLeadReadsNothingBefore) {
  RunningCluster cluster;
  cluster.AddNodes(2, "4");
  // However slow the machine, nobody takes the lease over before it is released.
  const auto patient = [](const std::string& holder) {
    scheduler::SchedulerOptions options = QuickCandidate(holder);
    options.leader->lease_duration = std::chrono::hours(1);
    options.leader->renew_deadline = std::chrono::minutes(30);
    return options;
  };
  const auto a = cluster.NewScheduler(patient("a"));
  a->Start();
  ASSERT_TRUE(Eventually([&] { return a->leads() && a->synced(); }));
  scheduler::SchedulerOptions options = patient("b");
  options.wait_for_lead = true;
  const auto b = cluster.NewScheduler(options);
  b->Start();
  cluster.AddPod("p");
  ASSERT_TRUE(Eventually([&] { return cluster.AllBound(); }));
  EXPECT_FALSE(b->synced());
  a->Stop();
  cluster.AddPod("q");
  EXPECT_TRUE(Eventually([&] { return cluster.AllBound(); }));
  EXPECT_TRUE(b->synced());
  EXPECT_EQ(BoundBy(*b), 1U);
  const auto never_leads = cluster.NewScheduler(options);
  never_leads->Start();
  never_leads->Stop();
}

// A binding is under way and statuses wait behind it: the first is settled, the others are for the next leader.
TEST(Leadership, TheLeaseIsReleasedAsSoonAsBindingsUnderWayAreSettled) {
  RunningCluster cluster;
  cluster.AddNodes(1, "1");
  HookedStore hooks(&cluster.store);
  Door door;
  hooks.before_bind = [&] { door.Pass(); };
  const auto scheduler = cluster.NewScheduler(Candidate("a"), &hooks);
  const auto is_held = [&] { return !cluster.store.AcquireLease("kube-scheduler", "b", seconds(1)).has_value(); };
  scheduler->Start();
  cluster.AddPod("p", {.cpu = "1"});
  ASSERT_TRUE(Eventually([&] { return door.arrived() == 1; }));
  constexpr size_t kWaiting = 50;
  cluster.AddPods("waits", kWaiting, {.cpu = "1"});
  const auto failed = [&] {
    uint64_t count = 0;
    scheduler->Ask([&](scheduler::Engine& engine) { count = engine.counts().unschedulable; });
    return count;
  };
  ASSERT_TRUE(Eventually([&] { return failed() >= kWaiting; }));
  std::jthread stopper([&] { scheduler->Stop(); });
  EXPECT_TRUE(is_held()) << "a binding is under way";
  door.Open();
  stopper.join();
  EXPECT_FALSE(is_held());
  EXPECT_EQ(cluster.NodeOf("p"), "n0");
}

// The lead is taken from whoever has it, over and over, while pods pour in.
TEST(Leadership, FencedSchedulersOverfillNothing) {
  RunningCluster cluster;
  HistoryAudit audit(cluster.store);
  cluster.AddNodes(10, "2");
  FaultyStore line_a(1);
  FaultyStore line_b(2);
  line_a.Wrap(cluster.store);
  line_b.Wrap(cluster.store);
  const auto a = cluster.NewScheduler(QuickCandidate("a"), &line_a);
  const auto b = cluster.NewScheduler(QuickCandidate("b"), &line_b);
  a->Start();
  b->Start();
  for (int turn = 0; turn < 6; ++turn) {
    FaultyStore& cut_off = turn % 2 == 0 ? line_a : line_b;
    const std::string other = turn % 2 == 0 ? "b" : "a";
    cluster.AddPods("t" + std::to_string(turn) + "-", 20, {.cpu = "150m"}, 1);
    cut_off.Set({.slow_request = 1, .delay = milliseconds(20)});
    cut_off.leases_unreachable = true;
    ASSERT_TRUE(Eventually([&] {
      const std::optional<store::Lease> lease = cluster.store.ObserveLease("kube-scheduler").value();
      return lease && lease->holder == other;
    }));
    cut_off.leases_unreachable = false;
    cut_off.Set({});
  }
  EXPECT_TRUE(Eventually([&] { return cluster.AllBound(); }));
  EXPECT_TRUE(Eventually([&] { return DisagreementsOf(*a, cluster).empty(); })) << DisagreementsOf(*a, cluster);
  EXPECT_TRUE(Eventually([&] { return DisagreementsOf(*b, cluster).empty(); })) << DisagreementsOf(*b, cluster);
  EXPECT_EQ(audit.Problems(), "");
  EXPECT_EQ(audit.bindings(), 120U);
}

// Without a lease both decide every pod; the store settles who was first.
TEST(Leadership, UnfencedSchedulersBindEveryPodOnce) {
  RunningCluster cluster;
  HistoryAudit audit(cluster.store);
  audit.IgnoreCapacity();
  cluster.AddNodes(10, "16");
  const auto a = cluster.NewScheduler();
  const auto b = cluster.NewScheduler();
  a->Start();
  b->Start();
  cluster.AddPods("p", 500, {.cpu = "100m"}, 5);
  EXPECT_TRUE(Eventually([&] { return cluster.AllBound(); }));
  EXPECT_TRUE(Eventually([&] { return DisagreementsOf(*a, cluster).empty(); })) << DisagreementsOf(*a, cluster);
  EXPECT_TRUE(Eventually([&] { return DisagreementsOf(*b, cluster).empty(); })) << DisagreementsOf(*b, cluster);
  EXPECT_EQ(audit.Problems(), "");
  EXPECT_EQ(audit.bindings(), 500U);
}

}  // namespace
}  // namespace berth::test
