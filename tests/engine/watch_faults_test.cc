// SPDX-License-Identifier: Apache-2.0
// Watches that break at every point, expire, or repeat themselves: what the engine knows in the end is what an engine
// knows that starts over.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/live_cluster.h"
#include "plugins/registry.h"
#include "support/faulty_store.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Step = std::function<void(StoredCluster&)>;

// Everything that can happen to nodes and pods: they come, change, go, and come back under the same name.
std::vector<Step> Script() {
  return {
      [](StoredCluster& c) { c.AddNode("a", "2"); },
      [](StoredCluster& c) { c.AddNode("b", "2", R"("zone":"x")"); },
      [](StoredCluster& c) { c.AddPod("p0", {.cpu = "500m"}); },
      [](StoredCluster& c) { c.AddPod("p1", {.cpu = "500m", .more_spec = R"("nodeSelector":{"zone":"x"})"}); },
      [](StoredCluster& c) { c.AddPod("foreign", {.cpu = "500m", .scheduler = "somebody-else"}); },
      [](StoredCluster& c) { c.AddPod("running", {.cpu = "250m", .node = "a"}); },
      [](StoredCluster& c) { c.AddPod("gated", {.more_spec = R"("schedulingGates":[{"name":"g"}])"}); },
      [](StoredCluster& c) { c.AddPod("big", {.cpu = "3"}); },
      [](StoredCluster& c) { c.UpdateNode("a", "4"); },
      [](StoredCluster& c) { c.AddPod("early", {.cpu = "100m", .node = "late"}); },
      [](StoredCluster& c) { c.RemovePod("running"); },
      [](StoredCluster& c) { c.AddPod("running", {.cpu = "750m", .node = "b"}); },
      [](StoredCluster& c) { c.AddNode("late", "1"); },
      [](StoredCluster& c) { c.RemovePod("p0"); },
      [](StoredCluster& c) { c.AddPod("p0", {.cpu = "300m"}); },
      [](StoredCluster& c) { c.UpdatePod("gated", {}); },
      [](StoredCluster& c) { c.RemoveNode("b"); },
      [](StoredCluster& c) { c.AddNode("b", "1", R"("zone":"y")"); },
      [](StoredCluster& c) { c.RemovePod("foreign"); },
      [](StoredCluster& c) { c.AddPod("huge", {.cpu = "64"}); },
      [](StoredCluster& c) { c.UpdatePod("huge", {.cpu = "64", .more_meta = R"("labels":{"a":"b"})"}); },
      [](StoredCluster& c) { c.RemoveNode("late"); },
      [](StoredCluster& c) {
        store::Operation done = PodOperation("early", {.cpu = "100m", .node = "late"});
        done.type = store::Operation::Type::Update;
        done.fields.phase = "Succeeded";
        c.Write({done});
      },
      [](StoredCluster& c) {
        c.Write({NodeOperation("c", "2"), NodeOperation("d", "2"), PodOperation("q0"), PodOperation("q1")});
      },
  };
}

// The script, with watches that do as planned; after each step, `pause` passes.
class BrokenWatch {
 public:
  explicit BrokenWatch(WatchPlan plan)
      : cluster(plugins::InTreeRegistry(), DefaultPlans(plugins::InTreeRegistry()), {}, &flaky) {
    flaky.Wrap(cluster.store);
    flaky.PlanWatches(std::move(plan));
  }

  // `burst` steps at a time happen before any of them is heard of.
  void Run(Duration pause, size_t burst = 1) {
    const std::vector<Step> script = Script();
    for (size_t i = 0; i < script.size(); ++i) {
      script[i](cluster);
      if ((i + 1) % burst != 0) continue;
      cluster.Pass(pause);
      ASSERT_EQ(cluster.engine().CheckInvariants(), "");
    }
    cluster.Pass(minutes(10));
  }
  void ExpectTheTruth() {
    const LoadedState known = StateOf(cluster.engine());
    const LoadedState fresh = FreshStateOf(cluster.store);
    EXPECT_EQ(known.cluster, fresh.cluster);
    EXPECT_EQ(known.waiting, fresh.waiting);
    EXPECT_EQ(Disagreements(cluster.engine(), cluster), "");
    EXPECT_EQ(cluster.NodeOf("q1").empty(), false);
    EXPECT_EQ(cluster.NodeOf("huge"), "");
  }

  FaultyStore flaky;
  LiveCluster cluster;
};

// Long enough for the script with everything the scheduler writes.
constexpr size_t kMaxBatches = 80;

WatchPlan Once(size_t after, WatchFault fault) {
  return [=, done = false](size_t told) mutable {
    if (done || told < after) return WatchFault::None;
    done = true;
    return fault;
  };
}

class WatchFaults : public testing::TestWithParam<WatchFault> {};

TEST_P(WatchFaults, AfterEveryItemAndMendedAtOnce) {
  for (size_t k = 0; k < kMaxBatches; ++k) {
    SCOPED_TRACE(k);
    BrokenWatch broken(Once(k, GetParam()));
    broken.Run(milliseconds(250));
    broken.ExpectTheTruth();
    if (HasFailure()) return;
    if (broken.flaky.faults_injected() == 0) {
      EXPECT_GT(k, Script().size()) << "every step was a place to break";
      return;
    }
  }
}

TEST_P(WatchFaults, AfterEveryItemAndMendedAtTheEnd) {
  for (size_t k = 0; k < Script().size(); ++k) {
    SCOPED_TRACE(k);
    BrokenWatch broken(Once(k, GetParam()));
    broken.Run(Duration(0));
    broken.ExpectTheTruth();
    if (HasFailure()) return;
    EXPECT_EQ(broken.flaky.faults_injected(), 1U);
  }
}

TEST_P(WatchFaults, AfterEveryItemAgainAndAgain) {
  for (size_t k = 1; k < 6; ++k) {
    SCOPED_TRACE(k);
    BrokenWatch broken([k, told_last = size_t{0}, param = GetParam()](size_t told) mutable {
      if (told < told_last + k) return WatchFault::None;
      told_last = told;
      return param;
    });
    broken.Run(milliseconds(100));
    broken.ExpectTheTruth();
    EXPECT_GT(broken.flaky.faults_injected(), 3U);
  }
}

std::string NameOf(const testing::TestParamInfo<WatchFault>& fault) {
  switch (fault.param) {
    case WatchFault::Cut: return "Cut";
    case WatchFault::Expire: return "Expired";
    default: return "Repeated";
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, WatchFaults,
                         testing::Values(WatchFault::Cut, WatchFault::Expire, WatchFault::RepeatLast), NameOf);

// The history is compacted while nobody watches: what was missed can only be found by listing.
TEST(Watch, WhatWasCompactedMeanwhileIsListedAgain) {
  for (size_t k = 0; k < Script().size(); ++k) {
    SCOPED_TRACE(k);
    bool mended = false;
    BrokenWatch broken([&mended, k](size_t told) { return !mended && told >= k ? WatchFault::Cut : WatchFault::None; });
    const std::vector<Step> script = Script();
    for (const Step& step : script) {
      step(broken.cluster);
      broken.cluster.Settle();
    }
    mended = true;
    ASSERT_TRUE(broken.cluster.store.Compact(broken.cluster.store.CurrentRevision().value()));
    broken.cluster.Pass(minutes(10));
    broken.ExpectTheTruth();
    EXPECT_GE(broken.cluster.scheduler->home().feed_stats().relists, 2U) << "the first list, and the one that mends";
    if (HasFailure()) return;
  }
}

// Each object's own changes come in their order, but the objects do not wait for one another, and what is out of date
// is told once more: neither an old state nor the deletion of a former object of the same name undoes what is known.
TEST(Watch, ChangesOfSeveralObjectsMayComeInAnyOrder) {
  for (const size_t burst : {2U, 3U, 5U, 8U, 12U, 24U}) {
    SCOPED_TRACE(burst);
    BrokenWatch broken([](size_t) { return WatchFault::Mix; });
    broken.cluster.Settle();  // from here on it is the watch that tells
    broken.Run(milliseconds(250), burst);
    broken.ExpectTheTruth();
    EXPECT_GT(broken.flaky.disorders(), 0U);
    EXPECT_EQ(broken.cluster.scheduler->home().feed_stats().relists, 1U);
    if (HasFailure()) return;
  }
}

// A list by somebody who lags behind takes away what is new and brings back what is gone; a list that is newer than it
// says is followed by changes that are part of it already. The watch that goes on from there makes up for both.
TEST(Watch, ListsOfAnotherMomentAreMadeUpFor) {
  for (const Faults& faults : {Faults{.outdated_list = 1}, Faults{.understated_list = 1}}) {
    for (size_t k = 0; k < Script().size(); ++k) {
      SCOPED_TRACE(std::to_string(k) + (faults.outdated_list > 0 ? " outdated" : " understated"));
      BrokenWatch broken(Once(k, WatchFault::Expire));
      broken.flaky.Set(faults);
      broken.Run(milliseconds(250));
      broken.ExpectTheTruth();
      EXPECT_EQ(broken.cluster.scheduler->home().feed_stats().relists, 2U);
      if (k > 0) {
        EXPECT_GT(broken.flaky.faults_injected(), 1U) << "a list went wrong";
      }
      if (HasFailure()) return;
    }
  }
}

// Deletions that nobody told: as many as there are objects.
TEST(Watch, AListThatHasNothingLeftEmptiesTheEngine) {
  BrokenWatch broken(Once(5, WatchFault::Cut));
  LiveCluster& cluster = broken.cluster;
  cluster.AddNode("a", "4");
  cluster.AddNode("b", "4");
  for (int i = 0; i < 3; ++i) cluster.AddPod("p" + std::to_string(i));
  cluster.AddPod("huge", {.cpu = "64"});
  cluster.Settle();
  for (int i = 0; i < 3; ++i) cluster.RemovePod("p" + std::to_string(i));
  cluster.RemovePod("huge");
  cluster.RemoveNode("a");
  cluster.RemoveNode("b");
  ASSERT_TRUE(cluster.store.Compact(cluster.store.CurrentRevision().value()));
  cluster.Pass(minutes(1));
  EXPECT_EQ(cluster.engine().cluster().Describe(), "");
  EXPECT_TRUE(StateOf(cluster.engine()).waiting.empty());
  EXPECT_EQ(Disagreements(cluster.engine(), cluster), "");
}

// What was told before the deletion must not bring the object back to life.
TEST(Watch, ARepeatedAdditionDoesNotUndoADeletion) {
  bool repeat = false;
  BrokenWatch broken([&](size_t) { return std::exchange(repeat, false) ? WatchFault::RepeatLast : WatchFault::None; });
  LiveCluster& cluster = broken.cluster;
  cluster.Settle();
  cluster.AddNode("a", "1");
  cluster.AddPod("gated", {.more_spec = R"("schedulingGates":[{"name":"g"}])"});
  cluster.Settle();
  cluster.RemoveNode("a");
  cluster.RemovePod("gated");
  cluster.Settle();
  for (int i = 0; i < 4; ++i) {
    repeat = true;
    cluster.Settle();
    EXPECT_EQ(cluster.engine().cluster().Describe(), "");
    EXPECT_EQ(cluster.PlaceOf("gated"), queue::Place::None);
  }
  EXPECT_EQ(broken.flaky.faults_injected(), 4U);
}

TEST(Watch, AnObjectThatCannotBeReadHoldsNobodyUp) {
  LiveCluster cluster;
  cluster.AddNode("a");
  cluster.Settle();
  store::Operation broken = PodOperation("broken");
  broken.value = "{";
  cluster.Write({broken});
  cluster.AddPod("p");
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("p"), "a");
  EXPECT_EQ(cluster.scheduler->home().feed_stats().undecodable, 1U);
}

// Lists come page by page; what changes between two pages belongs to the watch that follows.
TEST(Watch, ListsOfSeveralPagesAreOneState) {
  FaultyStore flaky;
  LiveCluster cluster(plugins::InTreeRegistry(), DefaultPlans(plugins::InTreeRegistry()), {}, &flaky);
  flaky.Wrap(cluster.store);
  std::vector<store::Operation> nodes;
  for (int i = 0; i < 4'500; ++i) nodes.push_back(NodeOperation("n" + std::to_string(i), "1"));
  cluster.Write(std::move(nodes));
  flaky.Set({.unavailable_read = 3});
  cluster.Pass(minutes(2));
  flaky.Set({});
  cluster.RemoveNode("n17");
  cluster.Pass(seconds(1));
  EXPECT_EQ(cluster.engine().cluster().node_count(), 4'499U);
  EXPECT_TRUE(cluster.engine().synced());
}

}  // namespace
}  // namespace berth::test
