// SPDX-License-Identifier: Apache-2.0
// Very many pods that wait: what does not concern them costs nothing, and what does finds them.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/live_cluster.h"
#include "engine/test_plugins.h"
#include "plugins/registry.h"
#include "support/sanitizers.h"

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using queue::Place;
using std::chrono::minutes;
using std::chrono::seconds;

// The same is found out with fewer pods.
constexpr int kScale = kUnderSanitizer ? 10 : 1;

// Gates pods that are labelled so, and counts how often it is asked what an event means to one of them.
struct Gate final : framework::PreEnqueuePlugin, framework::EnqueueExtensions {
  framework::Status PreEnqueue(const api::Pod& pod) const override {
    ++asked;
    for (const auto& [key, value] : pod.meta.labels) {
      if (key == "gate") return framework::Status::Unresolvable("closed");
    }
    return framework::Status::Success();
  }
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override {
    const auto hint = [this](const framework::PodInfo&, const api::Object*, const api::Object*) {
      ++hints;
      return Result<framework::QueueingHint>(framework::QueueingHint::Queue);
    };
    return {{{framework::EventResource::Pod, framework::kUpdatePodLabel}, hint}};
  }
  mutable uint64_t asked = 0;
  mutable uint64_t hints = 0;
};

void AddMany(LiveCluster& cluster, const std::string& prefix, int count, const PodWish& wish) {
  constexpr int kBatch = 5'000;
  for (int begin = 0; begin < count; begin += kBatch) {
    std::vector<store::Operation> operations;
    for (int i = begin; i < std::min(count, begin + kBatch); ++i) {
      operations.push_back(PodOperation(prefix + std::to_string(i), wish));
    }
    cluster.Write(std::move(operations));
  }
}

TEST(LargeQueues, GatedPodsWaitWithoutBeingAsked) {
  constexpr int kPods = 100'000 / kScale;
  const auto gate = std::make_shared<Gate>();
  framework::Registry registry = plugins::InTreeRegistry();
  std::vector<config::ProfilePlan> plans = DefaultPlansWith(registry, {EntryOf("Gate", gate)});
  LiveCluster cluster(std::move(registry), std::move(plans));
  cluster.AddNode("a", "64");
  const PodWish gated{.more_meta = R"("labels":{"gate":"closed"})"};
  AddMany(cluster, "g", kPods, gated);
  cluster.Settle();
  EXPECT_EQ(cluster.engine().queue().sizes().gated, static_cast<size_t>(kPods));
  EXPECT_EQ(gate->asked, static_cast<uint64_t>(kPods)) << "once each";

  // Nodes come and change, pods come and go: none of it opens a gate.
  for (int i = 0; i < 200; ++i) {
    cluster.UpdateNode("a", i % 2 == 0 ? "32" : "64", R"("change":")" + std::to_string(i) + "\"");
    cluster.AddPod("p" + std::to_string(i), {.cpu = "10m"});
    cluster.Settle();
    cluster.RemovePod("p" + std::to_string(i));
  }
  cluster.Settle();
  EXPECT_EQ(gate->hints, 0U);
  EXPECT_EQ(cluster.engine().counts().bound, 200U);
  EXPECT_EQ(cluster.engine().queue().sizes().gated, static_cast<size_t>(kPods));

  for (int i = 0; i < 50; ++i) cluster.UpdatePod("g" + std::to_string(i * 17), {});
  cluster.Settle();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(cluster.NodeOf("g" + std::to_string(i * 17)), "a");
  EXPECT_EQ(cluster.engine().queue().sizes().gated, static_cast<size_t>(kPods - 50));
  EXPECT_EQ(gate->hints, 50U) << "about themselves";
  EXPECT_EQ(Disagreements(cluster.engine(), cluster), "");

  cluster.Pass(minutes(11));
  EXPECT_EQ(cluster.engine().queue().sizes().gated, static_cast<size_t>(kPods - 50)) << "time opens no gate";
  EXPECT_EQ(cluster.engine().counts().attempts, 250U);
}

// More changes at once than the inbox of a scheduler with threads would hold.
TEST(LargeQueues, AWholeClusterIsLoadedStepByStep) {
  constexpr int kPods = 70'000;
  LiveCluster cluster;
  cluster.AddNode("a", "1");
  AddMany(cluster, "r", kPods, {.cpu = "0", .node = "elsewhere"});
  cluster.AddPod("p");
  cluster.Settle();
  EXPECT_EQ(cluster.NodeOf("p"), "a");
  EXPECT_EQ(cluster.engine().cluster().pod_count_total(), static_cast<size_t>(kPods + 1));
}

TEST(LargeQueues, AStormOfNodeUpdatesWakesTheRightPod) {
  constexpr int kPods = 10'000 / kScale;
  constexpr int kUpdates = 50'000 / kScale;
  constexpr int kNodes = 100;
  LiveCluster cluster;
  for (int i = 0; i < kNodes; ++i) cluster.AddNode("n" + std::to_string(i), "1");
  // A hundred templates; each wants a label of its own that no node has.
  for (int t = 0; t < 100; ++t) {
    AddMany(cluster, "t" + std::to_string(t) + "-", kPods / 100,
            {.more_spec = R"("nodeSelector":{"kind":"k)" + std::to_string(t) + "\"}"});
  }
  cluster.Settle();
  ASSERT_EQ(cluster.engine().queue().sizes().unschedulable, static_cast<size_t>(kPods));
  const uint64_t attempts = cluster.engine().counts().attempts;

  for (int i = 0; i < kUpdates; ++i) {
    const std::string node = "n" + std::to_string(i % kNodes);
    cluster.UpdateNode(node, "1", R"("change":")" + std::to_string(i) + "\"");
    if (i % 100 == 0) cluster.Settle();
  }
  cluster.Settle();
  EXPECT_EQ(cluster.engine().counts().attempts, attempts) << "none of it could help anybody";
  EXPECT_EQ(cluster.engine().queue().sizes().unschedulable, static_cast<size_t>(kPods));

  cluster.UpdateNode("n42", "1", R"("kind":"k7")");
  cluster.Settle();
  // Ten of a hundred pods find room; the others have been tried once more.
  const auto woken = static_cast<uint64_t>(kPods / 100);
  EXPECT_EQ(cluster.engine().counts().attempts, attempts + woken);
  EXPECT_EQ(cluster.engine().counts().bound, std::min<uint64_t>(woken, 10));
  EXPECT_EQ(cluster.NodeOf("t7-0"), "n42");
  EXPECT_EQ(cluster.NodeOf("t8-0"), "");
  EXPECT_EQ(Disagreements(cluster.engine(), cluster), "");
}

}  // namespace
}  // namespace berth::test
