// SPDX-License-Identifier: Apache-2.0
// A clock that is set forward or back: nothing is lost, nothing waits for the time to come round again, nobody spins.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/live_cluster.h"
#include "engine/running_cluster.h"
#include "engine/test_plugins.h"
#include "plugins/registry.h"
#include "support/faulty_store.h"

#include <atomic>
#include <ctime>
#include <thread>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using queue::Place;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Pump until nothing is left; how many turns that took.
int TurnsToSettle(LiveCluster& cluster) {
  constexpr int kTooMany = 10'000;
  int turns = 0;
  while (turns < kTooMany && cluster.scheduler->Pump()) ++turns;
  return turns;
}

// A cluster with a pod in every place there is.
class EveryPlace : public testing::TestWithParam<Duration> {
 protected:
  EveryPlace() {
    framework::Registry registry = plugins::InTreeRegistry();
    std::vector<config::ProfilePlan> plans = DefaultPlansWith(registry, {EntryOf("Holder", holder_)});
    cluster_ =
        std::make_unique<LiveCluster>(std::move(registry), std::move(plans), scheduler::SchedulerOptions{}, &flaky_);
    flaky_.Wrap(cluster_->store);
    cluster_->AddNode("a", "4");
    cluster_->AddPod("running", {.cpu = "1", .node = "a"});
    cluster_->AddPod("unschedulable", {.cpu = "100"});
    cluster_->AddPod("gated", {.more_spec = R"("schedulingGates":[{"name":"g"}])"});
    cluster_->Settle();
    holder_->wait = seconds(30);
    cluster_->AddPod("waiting", {.cpu = "1"});
    cluster_->Settle();
    holder_->wait = Duration::zero();
    flaky_.Set({.unavailable_write = 1});
    cluster_->AddPod("unwritten", {.cpu = "1"});
    cluster_->Settle();
  }
  void ExpectEveryPlace() {
    EXPECT_EQ(cluster_->PlaceOf("unschedulable"), Place::Unschedulable);
    EXPECT_EQ(cluster_->PlaceOf("gated"), Place::Gated);
    EXPECT_EQ(Disagreements(cluster_->engine(), *cluster_), "");
  }

  std::shared_ptr<PermitHolder> holder_ = std::make_shared<PermitHolder>();
  FaultyStore flaky_;
  std::unique_ptr<LiveCluster> cluster_;
};

TEST_P(EveryPlace, NothingIsLostAndNobodySpins) {
  ExpectEveryPlace();
  EXPECT_EQ(cluster_->PlaceOf("waiting"), Place::InFlight);
  EXPECT_EQ(cluster_->engine().attempts_under_way(), 2U);
  cluster_->clock.Advance(GetParam());
  EXPECT_LT(TurnsToSettle(*cluster_), 100);
  EXPECT_EQ(cluster_->engine().CheckInvariants(), "");
  flaky_.Set({});
  cluster_->Pass(seconds(20));
  EXPECT_EQ(cluster_->NodeOf("unwritten"), "a") << "it is not held up by the clock";
  cluster_->Pass(minutes(30));
  EXPECT_EQ(cluster_->engine().waiting_pods().size(), 0U) << "waits at Permit end";
  ExpectEveryPlace();
  cluster_->AddNode("b", "200");
  cluster_->UpdatePod("gated", {});
  cluster_->Pass(minutes(1));
  EXPECT_EQ(cluster_->UnboundPods(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Jumps, EveryPlace,
                         testing::Values(hours(5), hours(24 * 40), seconds(-5), minutes(-10), hours(-3)));

TEST(ClockSetBack, ABrokenWatchIsMendedAsSoonAsEver) {
  FaultyStore flaky;
  LiveCluster cluster(plugins::InTreeRegistry(), DefaultPlans(plugins::InTreeRegistry()), {}, &flaky);
  flaky.Wrap(cluster.store);
  cluster.AddNode("a");
  cluster.Settle();
  flaky.Set({.cut_watch = 1});
  cluster.Settle();
  flaky.Set({});
  cluster.clock.Advance(-minutes(10));
  cluster.AddPod("p");
  cluster.Pass(seconds(1));
  EXPECT_EQ(cluster.NodeOf("p"), "a");
}

TEST(ClockSetBack, APenaltyAfterAnErrorIsNotProlonged) {
  LiveCluster cluster;
  cluster.AddPod("p");
  cluster.Settle();
  ASSERT_EQ(cluster.PlaceOf("p"), Place::ErrorBackoff) << "there are no nodes";
  cluster.clock.Advance(-minutes(10));
  cluster.AddNode("a");
  cluster.Pass(seconds(15));
  EXPECT_EQ(cluster.NodeOf("p"), "a");
}

// The five-minute flush counts from when the pod began to wait, not from where the clock was before.
TEST(ClockSetBack, APodThatBeginsToWaitIsFlushedInTime) {
  LiveCluster cluster;
  cluster.AddNode("a", "1");
  cluster.Pass(minutes(1));
  cluster.clock.Advance(-hours(1));
  cluster.AddPod("p", {.cpu = "2"});
  cluster.Settle();
  ASSERT_EQ(cluster.PlaceOf("p"), Place::Unschedulable);
  cluster.Pass(minutes(4));
  EXPECT_EQ(cluster.engine().counts().attempts, 1U) << "nothing has happened that could help";
  cluster.Pass(minutes(2));
  EXPECT_EQ(cluster.engine().counts().attempts, 2U);
}

TEST(ClockSetBack, APodThatWaitedBeforeIsFlushedInTime) {
  LiveCluster cluster;
  cluster.AddNode("a", "1");
  cluster.AddPod("p", {.cpu = "2"});
  cluster.Settle();
  ASSERT_EQ(cluster.PlaceOf("p"), Place::Unschedulable);
  cluster.clock.Advance(-hours(1));
  cluster.Pass(minutes(6));
  EXPECT_GE(cluster.engine().counts().attempts, 2U);
}

TEST(ClockSetBack, ALeaderGoesOnRenewing) {
  scheduler::SchedulerOptions options;
  options.leader = scheduler::LeadershipOptions{};
  options.leader->holder = "a";
  LiveCluster cluster(plugins::InTreeRegistry(), DefaultPlans(plugins::InTreeRegistry()), options);
  cluster.AddNode("a");
  cluster.Pass(seconds(3));
  cluster.clock.Advance(-minutes(10));
  cluster.Pass(seconds(3));
  const std::optional<store::Lease> lease = cluster.store.ObserveLease("kube-scheduler").value();
  ASSERT_TRUE(lease.has_value());
  EXPECT_LT(lease->expires, cluster.clock.Now() + minutes(1)) << "it was renewed by the new time";
  cluster.AddPod("p");
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("p"), "a");
}

// Real time that the test can shift, and that counts how often it is asked.
class ShiftedClock final : public Clock {
 public:
  Timestamp Now() const override {
    questions.fetch_add(1, std::memory_order_relaxed);
    return SystemClock().Now() + Duration(shift.load(std::memory_order_relaxed));
  }
  std::atomic<int64_t> shift = 0;
  mutable std::atomic<uint64_t> questions = 0;
};

// What all threads of the process have used.
Duration ProcessorTime() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

TEST(ClockJumps, WithThreadsEveryPodIsBoundAndNobodySpins) {
  ShiftedClock clock;
  RunningCluster cluster(clock);
  FaultyStore flaky;
  flaky.Wrap(cluster.store);
  flaky.Set({.unavailable_write = 5, .cut_watch = 20});
  HistoryAudit audit(cluster.store);
  scheduler::SchedulerOptions options;
  options.engine.queue.initial_backoff = milliseconds(50);
  options.engine.queue.max_backoff = milliseconds(100);
  const auto scheduler = cluster.NewScheduler(options, &flaky);
  scheduler->Start();
  cluster.AddNodes(10, "4");
  const Duration jumps[] = {hours(5), -minutes(10), -hours(4), hours(100), -seconds(3), minutes(7)};
  for (const Duration jump : jumps) {
    cluster.AddPods("j" + std::to_string(jump.count()) + "-", 20, {.cpu = "100m"}, 5);
    clock.shift.fetch_add(jump.count());
    EXPECT_TRUE(Eventually([&] { return cluster.AllBound(); }));
  }
  flaky.Set({});
  EXPECT_TRUE(Eventually([&] { return DisagreementsOf(*scheduler, cluster).empty(); }));
  EXPECT_EQ(audit.Problems(), "");
  // After the last jump everybody is woken once more, and then has nothing to do. Whoever does something all the same
  // looks at the clock, or at least takes time from the processor; neither grows because the machine is busy.
  clock.shift.fetch_sub(hours(2).count());
  cluster.AddPod("last");
  EXPECT_TRUE(Eventually([&] { return cluster.AllBound() && DisagreementsOf(*scheduler, cluster).empty(); }));
  constexpr Duration kIdle = milliseconds(300);
  const uint64_t asked = clock.questions.load();
  const Duration used = ProcessorTime();
  std::this_thread::sleep_for(kIdle);  // nothing may happen, so there is nothing to wait for
  EXPECT_LT(clock.questions.load() - asked, 1'000U);
  EXPECT_LT(ProcessorTime() - used, kIdle / 2);
}

}  // namespace
}  // namespace berth::test
