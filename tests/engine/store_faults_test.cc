// SPDX-License-Identifier: Apache-2.0
// A store that is slow, refuses, answers late or not at all: every pod still ends on exactly one node, and the engine
// and the store tell the same story.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/live_cluster.h"
#include "engine/running_cluster.h"
#include "engine/test_plugins.h"
#include "plugins/registry.h"
#include "support/faulty_store.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

struct FaultCase {
  const char* name;
  Faults faults;
};

// What may go wrong without time passing.
const FaultCase kFaultCases[] = {
    {"OneWriteInTenRefused", {.unavailable_write = 10}},
    {"EveryOtherWriteRefused", {.unavailable_write = 2}},
    {"RequestsLost", {.lost_request = 5}},
    {"AnswersLost", {.lost_answer = 5}},
    {"EveryAnswerLost", {.lost_answer = 1}},
    {"ReadsRefused", {.unavailable_read = 2, .cut_watch = 5}},
    {"WatchesCut", {.cut_watch = 10}},
    {"BatchesRepeated", {.repeated_batch = 4}},
    {"EverythingAtOnce",
     {.unavailable_write = 10,
      .lost_request = 10,
      .lost_answer = 10,
      .unavailable_read = 10,
      .cut_watch = 20,
      .repeated_batch = 20}},
};

void PrintTo(const FaultCase& fault_case, std::ostream* out) { *out << fault_case.name; }

class StoreFaults : public testing::TestWithParam<FaultCase> {};

std::string NameOf(const testing::TestParamInfo<FaultCase>& info) { return info.param.name; }

// A cluster that is seen through `flaky`. Its pods are bound by the engine, or each by a plugin.
std::unique_ptr<LiveCluster> ClusterBehind(FaultyStore& flaky, bool by_plugin) {
  framework::Registry registry = plugins::InTreeRegistry();
  std::vector<config::ProfilePlan> plans = DefaultPlans(registry);
  if (by_plugin) {
    auto bind = std::make_shared<SlowBind>();
    bind->before.Open();
    bind->after.Open();
    PutFirst(registry, plans, EntryOf("SlowBind", bind));
  }
  auto cluster =
      std::make_unique<LiveCluster>(std::move(registry), std::move(plans), scheduler::SchedulerOptions{}, &flaky);
  flaky.Wrap(cluster->store);
  return cluster;
}

// Pods come that fill the nodes exactly, and all of them are bound.
void FillNodes(LiveCluster& cluster) {
  HistoryAudit audit(cluster.store);
  for (int i = 0; i < 10; ++i) cluster.AddNode("n" + std::to_string(i), "2");
  for (int i = 0; i < 100; ++i) {
    cluster.AddPod("p" + std::to_string(i), {.cpu = "200m"});
    if (i % 10 == 0) cluster.Pass(milliseconds(300));
    ASSERT_EQ(cluster.engine().CheckInvariants(), "");
  }
  cluster.Pass(minutes(90));
  EXPECT_EQ(cluster.UnboundPods(), 0U);
  EXPECT_EQ(audit.Problems(), "");
  EXPECT_EQ(audit.bindings(), 100U);
  EXPECT_EQ(Disagreements(cluster.engine(), cluster), "");
  EXPECT_EQ(cluster.engine().attempts_under_way(), 0U);
}

TEST_P(StoreFaults, EveryPodIsBoundOnceStepByStep) {
  for (const bool by_plugin : {false, true}) {
    size_t injected = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(std::to_string(seed) + (by_plugin ? " by a plugin" : ""));
      FaultyStore flaky(seed);
      flaky.Set(GetParam().faults);
      FillNodes(*ClusterBehind(flaky, by_plugin));
      injected += flaky.faults_injected();
    }
    EXPECT_GT(injected, 0U);
  }
}

TEST_P(StoreFaults, EveryPodIsBoundOnceWithThreads) {
  RunningCluster cluster;
  FaultyStore flaky(7);
  flaky.Wrap(cluster.store);
  Faults faults = GetParam().faults;
  faults.slow_request = 1;
  faults.delay = microseconds(200);
  flaky.Set(faults);
  HistoryAudit audit(cluster.store);
  scheduler::SchedulerOptions options;
  options.engine.queue.initial_backoff = milliseconds(50);
  options.engine.queue.max_backoff = milliseconds(200);
  const auto scheduler = cluster.NewScheduler(options, &flaky);
  scheduler->Start();
  cluster.AddNodes(10, "2");
  cluster.AddPods("p", 100, {.cpu = "200m"}, 10);
  EXPECT_TRUE(Eventually([&] { return cluster.AllBound(); }));
  EXPECT_TRUE(Eventually([&] { return DisagreementsOf(*scheduler, cluster).empty(); }))
      << DisagreementsOf(*scheduler, cluster);
  EXPECT_EQ(audit.Problems(), "");
  EXPECT_EQ(audit.bindings(), 100U);
  scheduler->Stop();
}

INSTANTIATE_TEST_SUITE_P(All, StoreFaults, testing::ValuesIn(kFaultCases), NameOf);

// The answer to a binding is lost, and for a while the store can be neither asked nor watched: the pod may be on its
// node or not. Until somebody can tell, nobody else gets its room.
TEST(UnknownBinding, KeepsItsRoomUntilSomebodyCanTell) {
  for (const Faults& faults :
       {Faults{.lost_request = 1, .unavailable_read = 1}, Faults{.lost_answer = 1, .unavailable_read = 1}}) {
    for (const bool by_plugin : {false, true}) {
      SCOPED_TRACE(std::string(faults.lost_answer > 0 ? "answer" : "request") + (by_plugin ? " of a plugin" : ""));
      FaultyStore flaky;
      size_t told = 0;
      std::optional<size_t> blind_after;  // so many batches
      flaky.PlanWatches([&](size_t so_far) {
        told = so_far;
        return blind_after && so_far >= *blind_after ? WatchFault::Cut : WatchFault::None;
      });
      const std::unique_ptr<LiveCluster> cluster = ClusterBehind(flaky, by_plugin);
      HistoryAudit audit(cluster->store);
      cluster->AddNode("a", "1");
      cluster->Settle();
      blind_after = told + 1;
      flaky.Set(faults);
      cluster->Write({PodOperation("p", {.cpu = "1"}), PodOperation("q", {.cpu = "1"})});
      cluster->Settle();
      EXPECT_EQ(cluster->engine().counts().attempts, 2U) << "both have been heard of";
      EXPECT_EQ(cluster->engine().attempts_under_way(), 1U);
      cluster->Pass(seconds(30));
      EXPECT_EQ(cluster->engine().attempts_under_way(), 1U) << "nobody can tell yet";
      EXPECT_EQ(cluster->engine().CheckInvariants(), "");
      flaky.Set({});
      blind_after.reset();
      cluster->Pass(minutes(1));
      EXPECT_EQ(cluster->UnboundPods(), 1U) << "there is room for one";
      EXPECT_EQ(audit.Problems(), "");
      cluster->AddNode("b", "1");
      cluster->Pass(minutes(1));
      EXPECT_EQ(cluster->UnboundPods(), 0U);
      EXPECT_EQ(audit.Problems(), "");
      EXPECT_EQ(audit.bindings(), 2U);
      EXPECT_EQ(Disagreements(cluster->engine(), *cluster), "");
    }
  }
}

// Its binding could not be written yet, and waits to be tried again: it is dropped, and its room is another's.
TEST(UnwrittenBinding, OfAPodThatIsToGoIsDropped) {
  for (const Duration outage : {Duration(0), Duration(minutes(1))}) {
    SCOPED_TRACE(outage.count());
    FaultyStore flaky;
    const std::unique_ptr<LiveCluster> cluster = ClusterBehind(flaky, /*by_plugin=*/false);
    HistoryAudit audit(cluster->store);
    cluster->AddNode("a", "1");
    cluster->Settle();
    flaky.Set({.unavailable_write = 1});
    cluster->AddPod("p", {.cpu = "1"});
    cluster->Settle();
    EXPECT_EQ(cluster->engine().attempts_under_way(), 1U);
    cluster->UpdatePod("p", {.cpu = "1", .more_meta = R"("deletionTimestamp":"2026-01-01T00:00:00Z")"});
    cluster->AddPod("q", {.cpu = "1"});
    cluster->Pass(outage);
    EXPECT_EQ(cluster->engine().CheckInvariants(), "");
    flaky.Set({});
    cluster->Pass(minutes(1));
    EXPECT_EQ(audit.Problems(), "");
    EXPECT_EQ(cluster->engine().attempts_under_way(), 0U);
    EXPECT_EQ(audit.bindings(), 1U) << "of the one or of the other";
    cluster->RemovePod("p");
    cluster->Pass(minutes(1));
    EXPECT_EQ(cluster->NodeOf("q"), "a");
    EXPECT_EQ(audit.Problems(), "");
    EXPECT_EQ(Disagreements(cluster->engine(), *cluster), "");
  }
}

TEST(SlowStore, ABurstIsBoundInFewTransactions) {
  RunningCluster cluster;
  FaultyStore flaky;
  flaky.Wrap(cluster.store);
  flaky.Set({.slow_request = 1, .slow_answer = 1, .delay = milliseconds(10)});
  HistoryAudit audit(cluster.store);
  cluster.AddNodes(20, "10");
  cluster.AddPods("p", 1'000, {.cpu = "100m"});
  const auto scheduler = cluster.NewScheduler({}, &flaky);
  scheduler->Start();
  EXPECT_TRUE(Eventually([&] { return cluster.AllBound(); }));
  EXPECT_TRUE(Eventually([&] { return DisagreementsOf(*scheduler, cluster).empty(); }));
  EXPECT_EQ(audit.Problems(), "");
  EXPECT_LT(flaky.binds(), 500U) << "while one transaction is written, the next is gathered";
}

TEST(SlowStore, DecidingStopsWhileTooMuchIsUnwritten) {
  FaultyStore flaky;
  scheduler::SchedulerOptions options;
  options.engine.commands.max_bindings = 5;
  LiveCluster cluster(plugins::InTreeRegistry(), DefaultPlans(plugins::InTreeRegistry()), options, &flaky);
  flaky.Wrap(cluster.store);
  flaky.Set({.unavailable_write = 1});
  cluster.AddNode("a", "10");
  for (int i = 0; i < 50; ++i) cluster.AddPod("p" + std::to_string(i));
  cluster.Settle();
  EXPECT_EQ(cluster.engine().attempts_under_way(), 5U);
  EXPECT_EQ(cluster.engine().queue().sizes().active, 45U);
  EXPECT_EQ(Disagreements(cluster.engine(), cluster), "");
  flaky.Set({});
  cluster.Pass(minutes(1));
  EXPECT_EQ(cluster.UnboundPods(), 0U);
}

// A store that is away for long: bindings are given up and decided anew, events and statuses do not pile up for ever.
TEST(SlowStore, AnOutageOfMinutesIsSurvived) {
  FaultyStore flaky;
  LiveCluster cluster(plugins::InTreeRegistry(), DefaultPlans(plugins::InTreeRegistry()), {}, &flaky);
  flaky.Wrap(cluster.store);
  HistoryAudit audit(cluster.store);
  cluster.AddNode("a", "2");
  cluster.AddNode("b", "2");
  cluster.Settle();
  flaky.Set({.unavailable_write = 1, .unavailable_read = 1, .cut_watch = 2});
  for (int i = 0; i < 20; ++i) cluster.AddPod("p" + std::to_string(i), {.cpu = "200m"});
  cluster.Pass(minutes(20));
  EXPECT_EQ(cluster.UnboundPods(), 20U);
  EXPECT_EQ(cluster.engine().CheckInvariants(), "");
  flaky.Set({});
  cluster.Pass(minutes(1));
  EXPECT_EQ(cluster.UnboundPods(), 0U);
  EXPECT_EQ(audit.Problems(), "");
  EXPECT_EQ(Disagreements(cluster.engine(), cluster), "");
}

}  // namespace
}  // namespace berth::test
