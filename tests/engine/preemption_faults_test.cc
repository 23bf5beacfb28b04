// SPDX-License-Identifier: Apache-2.0
// Preemption over a store that loses answers, and with others who delete pods, too: the pod that was promised the room
// is tried as soon as the room is there, and does not wait for the flush that tries every pod again.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/live_cluster.h"
#include "engine/stepped_scheduler.h"
#include "plugins/registry.h"
#include "support/faulty_store.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using std::chrono::seconds;

constexpr Duration kSoon = seconds(60);  // the flush comes after five minutes

// A node that two pods fill, and a store that can go wrong. Then comes a pod that needs the whole node.
class Contest {
 public:
  explicit Contest(uint64_t seed = 1)
      : flaky(seed), cluster(plugins::InTreeRegistry(), DefaultPlans(plugins::InTreeRegistry()), {}, &flaky) {
    flaky.Wrap(cluster.store);
    cluster.AddNode("a", "2");
    cluster.AddPod("low0", {.cpu = "1", .priority = 1, .node = "a"});
    cluster.AddPod("low1", {.cpu = "1", .priority = 1, .node = "a"});
    cluster.Settle();
  }
  void Begin(const Faults& faults) {
    flaky.Set(faults);
    cluster.AddPod("high", {.cpu = "2", .priority = 10});
    cluster.Settle();
  }
  void ExpectWon() {
    EXPECT_EQ(cluster.NodeOf("high"), "a");
    EXPECT_FALSE(cluster.engine().evictions().IsPreempting("uid-high"));
    EXPECT_EQ(audit_.Problems(), "");
    EXPECT_EQ(Disagreements(cluster.engine(), cluster), "");
  }

  FaultyStore flaky;
  LiveCluster cluster;

 private:
  HistoryAudit audit_{cluster.store};
};

TEST(PreemptionFaults, SomeAnswersToEvictionsAreLost) {
  uint64_t injected = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Contest contest(seed);
    contest.Begin({.lost_answer = 2});
    contest.cluster.Pass(kSoon);
    injected += contest.flaky.faults_injected();
    contest.flaky.Set({});
    contest.cluster.Settle();
    contest.ExpectWon();
    if (HasFailure()) return;
  }
  EXPECT_GT(injected, 20U);
}

TEST(PreemptionFaults, AllAnswersToEvictionsAreLostForAWhile) {
  Contest contest;
  contest.Begin({.lost_answer = 1});
  contest.cluster.Pass(seconds(5));
  EXPECT_EQ(contest.cluster.NodeOf("low0"), "gone") << "nobody was told, but it is done";
  EXPECT_EQ(contest.cluster.NodeOf("low1"), "gone");
  contest.flaky.Set({});
  contest.cluster.Pass(kSoon);
  contest.ExpectWon();
}

// Nothing can be written; meanwhile others delete some of the victims, and the scheduler hears of it.
TEST(PreemptionFaults, OthersDeleteVictimsWhoseEvictionsCannotBeWritten) {
  using Names = std::vector<std::string>;
  for (const Names& deleted : {Names{"low0"}, Names{"low1"}, Names{"low0", "low1"}}) {
    SCOPED_TRACE(deleted.size());
    Contest contest;
    contest.Begin({.unavailable_write = 1});
    EXPECT_TRUE(contest.cluster.engine().evictions().IsPreempting("uid-high"));
    for (const std::string& pod : deleted) contest.cluster.RemovePod(pod);
    contest.cluster.Settle();
    contest.flaky.Set({});
    contest.cluster.Pass(kSoon);
    contest.ExpectWon();
  }
}

// The store is well, but somebody else is faster: the scheduler hears of the deletion before it writes its own, or
// after.
TEST(PreemptionFaults, AnotherDeletesTheVictimBeforeItsEvictionIsWritten) {
  const framework::Registry registry = plugins::InTreeRegistry();
  for (const bool heard_first : {false, true}) {
    SCOPED_TRACE(heard_first);
    SteppedScheduler run(registry, DefaultPlans(registry));
    HistoryAudit audit(run.cluster.store);
    run.cluster.AddNode("a", "1");
    run.cluster.AddPod("low", {.cpu = "1", .priority = 1, .node = "a"});
    run.Settle();
    run.cluster.AddPod("high", {.cpu = "1", .priority = 10});
    run.Hear();
    run.Decide();
    EXPECT_TRUE(run.engine().evictions().IsPreempting("uid-high"));
    run.cluster.RemovePod("low");
    if (heard_first) {
      run.Hear();
      run.Decide();
    }
    run.Write();
    run.Pass(kSoon);
    EXPECT_EQ(run.cluster.NodeOf("high"), "a");
    EXPECT_EQ(audit.Problems(), "");
    EXPECT_EQ(Disagreements(run.engine(), run.cluster), "");
  }
}

}  // namespace
}  // namespace berth::test
