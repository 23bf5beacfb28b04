// SPDX-License-Identifier: Apache-2.0
// Whole runs of decisions: what must hold whatever the cluster and the pods are.
#include "scheduler/decide.h"

#include "plugins/registry.h"
#include "support/random_cluster.h"
#include "support/rounds.h"
#include "support/same_text.h"
#include "support/test_bed.h"

#include <deque>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::NodeInfo;
using framework::PodInfo;
using framework::PodInfoPtr;
using framework::Status;
using scheduler::Decision;

enum class Speed { Columnar, Plain };

// The in-tree plugins; at plain speed without their columnar forms.
framework::Registry RegistryAt(Speed speed) {
  const framework::Registry registry = plugins::InTreeRegistry();
  return speed == Speed::Plain ? framework::WithoutColumns(registry) : registry;
}

// Decides pod after pod, places them, evicts for them, and writes everything down.
class SmallScheduler {
 public:
  SmallScheduler(uint64_t seed, const ClusterShape& shape, Speed speed, WorkerPool* workers = nullptr)
      : random_(seed, shape, bed_.names), rng_(seed), speed_(speed) {
    bed_.workers = workers;
    random_.FillIn(bed_.cluster);
    const framework::Registry registry = RegistryAt(speed);
    bed_.AddProfile(PlansOf({}, registry).front(), registry);
  }

  std::string Schedule(size_t pods) {
    for (size_t i = 0; i < pods; ++i) waiting_.push_back(random_.PendingPod());
    for (size_t attempts = 0; attempts < 2 * pods && !waiting_.empty(); ++attempts) {
      const PodInfoPtr pod = waiting_.front();
      waiting_.pop_front();
      Attempt(pod);
    }
    return log_;
  }

 private:
  void Attempt(const PodInfoPtr& pod) {
    const std::string before = bed_.cluster.Describe();
    // One of the two speeds starts each pod afresh: what is kept from pod to pod must not show.
    runtime::Cycle fresh;
    runtime::Cycle& cycle = speed_ == Speed::Plain ? fresh : reused_;
    const Decision decision = scheduler::Decide(bed_.profile(), *pod, cycle, rng_);
    EXPECT_TRUE(SameText(before, bed_.cluster.Describe())) << "deciding changed the cluster";
    log_ += fmt::format("{}: {} {} {} of {} [{}] {}\n", pod->pod->meta.name, static_cast<int>(decision.outcome),
                        decision.node == framework::kNoNode ? "" : bed_.cluster.node(decision.node).name(),
                        decision.score, decision.best_count, fmt::join(decision.rejectors, " "), decision.message);
    switch (decision.outcome) {
      case Decision::Outcome::Placed:
        CheckPlacement(*pod, cycle, decision);
        Place(pod, decision);
        break;
      case Decision::Outcome::Unschedulable:
        EXPECT_FALSE(decision.message.empty());
        EXPECT_TRUE(cycle.feasible.empty());
        Preempt(pod, decision);
        break;
      case Decision::Outcome::Error: EXPECT_FALSE(decision.message.empty()); break;
    }
  }

  void CheckPlacement(const PodInfo& pod, runtime::Cycle& cycle, const Decision& decision) {
    const NodeInfo& node = bed_.cluster.node(decision.node);
    const Status fits = bed_.profile().filtering().RunFilterPluginsWithNominatedPods(cycle.state, pod, node);
    EXPECT_TRUE(fits.ok()) << pod->meta.name << " on " << node.name() << ": " << fits.Message();
    EXPECT_TRUE(std::find(cycle.feasible.begin(), cycle.feasible.end(), decision.node) != cycle.feasible.end());
    EXPECT_TRUE(decision.message.empty());
    for (const int64_t total : cycle.totals) EXPECT_LE(total, decision.score);
    // A fresh look from PreFilter on comes to the same.
    runtime::Cycle again;
    again.Reset();
    EXPECT_TRUE(bed_.profile().filtering().RunPreFilter(again, pod).ok());
    EXPECT_TRUE(bed_.profile().filtering().RunFilterPluginsWithNominatedPods(again.state, pod, node).ok());
  }

  void Place(const PodInfoPtr& pod, const Decision& decision) {
    const std::string name = bed_.cluster.node(decision.node).name();
    bed_.nominated.Remove(framework::PodUid(*pod->pod));
    bed_.cluster.PlacePod(pod, name);
    const NodeInfo& node = bed_.cluster.node(decision.node);
    EXPECT_LE(static_cast<int64_t>(node.pods.size()), node.allowed_pods);
    const auto check = [&](framework::ResourceId id, int64_t asked) {
      if (asked > 0) {
        EXPECT_LE(node.requested.Get(id), node.allocatable.Get(id)) << bed_.names.Name(id) << " on " << name;
      }
    };
    const framework::ResourceAmounts& asked = pod->traits->spec_requests;
    check(framework::ResourceId::Cpu, asked.cpu);
    check(framework::ResourceId::Memory, asked.memory);
    check(framework::ResourceId::EphemeralStorage, asked.ephemeral_storage);
    for (const auto& [id, amount] : asked.scalars) check(id, amount);
    for (const framework::HostPort& mine : pod->traits->host_ports) {
      for (const PodInfoPtr& other : node.pods) {
        if (other == pod) continue;
        for (const framework::HostPort& theirs : other->traits->host_ports) EXPECT_FALSE(mine.ConflictsWith(theirs));
      }
    }
  }

  void Preempt(const PodInfoPtr& pod, const Decision& decision) {
    const framework::PostFilterResult& result = decision.post_filter;
    log_ += fmt::format("  post filter {} nominates {}, evicts {}\n", CodeName(result.status.code()),
                        result.nominated_node, fmt::join(bed_.roles.evicted, " "));
    if (!result.status.ok() || result.nominated_node.empty()) {
      EXPECT_TRUE(bed_.roles.evicted.empty());
      return;
    }
    EXPECT_FALSE(bed_.roles.evicted.empty());
    for (const std::string& uid : bed_.roles.evicted) {
      const PodInfo* victim = bed_.cluster.FindPod(uid);
      ASSERT_NE(victim, nullptr);
      EXPECT_LT((*victim)->priority(), pod->pod->priority());
      EXPECT_EQ(bed_.cluster.NodeOf(uid), result.nominated_node);
      bed_.cluster.RemovePod(uid);
    }
    bed_.roles.evicted.clear();
    bed_.nominated.Add(pod, result.nominated_node);
    waiting_.push_front(pod);
  }

  TestBed bed_;
  RandomCluster random_;
  Rng rng_;
  Speed speed_;
  runtime::Cycle reused_;
  std::deque<PodInfoPtr> waiting_;
  std::string log_;
};

// Clusters that start empty: host ports and capacity are then what decisions made of them.
ClusterShape EmptyAtFirst(uint64_t seed) {
  return {.nodes = 3 + seed % 10, .pods = 0, .node_affinity = 0.2, .volumes = 0.1, .priorities = 0.8};
}

TEST(Decide, FillsClustersWithoutBreakingAnything) {
  std::string log;
  for (uint64_t seed = 0; seed < Rounds(20) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    log += SmallScheduler(seed, EmptyAtFirst(seed), Speed::Columnar).Schedule(40);
  }
  // All of it must have happened.
  EXPECT_NE(log.find(": 0 node-"), std::string::npos) << "no pod was placed";
  EXPECT_NE(log.find("nodes are available"), std::string::npos) << "no pod was rejected";
  EXPECT_NE(log.find("nominates node-"), std::string::npos) << "no pod was evicted";
}

TEST(Decide, SameSeedSamePlacements) {
  for (uint64_t seed = 100; seed < 100 + Rounds(6) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const ClusterShape shape{.nodes = 12, .pods = 0, .node_affinity = 0.1, .volumes = 0};
    EXPECT_TRUE(SameText(SmallScheduler(seed, shape, Speed::Columnar).Schedule(40),
                         SmallScheduler(seed, shape, Speed::Columnar).Schedule(40)));
  }
}

TEST(Decide, BothSpeedsDecideAlike) {
  for (uint64_t seed = 200; seed < 200 + Rounds(30) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ClusterShape shape{.nodes = 2 + seed % 14, .pods = seed % 3 == 0 ? size_t{0} : 20, .priorities = 0.9};
    if (seed % 2 == 0) shape.node_affinity = shape.volumes = shape.pod_affinity = 0.1;
    EXPECT_TRUE(SameText(SmallScheduler(seed, shape, Speed::Plain).Schedule(25),
                         SmallScheduler(seed, shape, Speed::Columnar).Schedule(25)));
  }
}

TEST(Decide, AnyNumberOfThreadsDecidesAlike) {
  for (uint64_t seed = 300; seed < 300 + Rounds(3) && !testing::Test::HasFailure(); ++seed) {
    const ClusterShape shape{.nodes = 200, .pods = 150, .node_affinity = 0.1, .priorities = 0.9};
    const std::string alone = SmallScheduler(seed, shape, Speed::Plain).Schedule(15);
    for (const size_t threads : {1U, 2U, 4U}) {
      SCOPED_TRACE(fmt::format("seed {}, {} threads", seed, threads));
      WorkerPool workers(threads);
      EXPECT_TRUE(SameText(alone, SmallScheduler(seed, shape, Speed::Plain, &workers).Schedule(15)));
    }
  }
}

TEST(Decide, AnEmptyClusterIsNobodysVerdict) {
  const std::unique_ptr<TestBed> bed = DefaultTestBed();
  RandomCluster random(1, {.nodes = 1, .pods = 0}, bed->names);
  runtime::Cycle cycle;
  Rng rng(0);
  const Decision decision = scheduler::Decide(bed->profile(), *random.PendingPod(), cycle, rng);
  EXPECT_EQ(decision.outcome, Decision::Outcome::Unschedulable);
  EXPECT_TRUE(decision.rejectors.empty());
  EXPECT_EQ(decision.message, "no nodes available to schedule pods");
}

}  // namespace
}  // namespace berth::test
