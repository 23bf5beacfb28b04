// SPDX-License-Identifier: Apache-2.0
// Every moment of a pod's way to its node, and everything that may happen in it, tried one by one.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/live_cluster.h"
#include "engine/test_plugins.h"
#include "plugins/registry.h"

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Happening {
  const char* name;
  void (*happen)(LiveCluster&);
  bool spoils_room = false;  // takes room that a pod on its way counts on: then the node is overfilled, by others
};

bool Has(LiveCluster& cluster, const std::string& pod) { return cluster.NodeOf(pod) != "gone"; }

void BindElsewhere(LiveCluster& cluster, const std::string& node) {
  const store::Binding theirs{{"Pod", "default", "p"}, "uid-p", node, 0, 0};
  ASSERT_TRUE(cluster.store.Bind({&theirs, 1}, std::nullopt));
}

bool HasNode(LiveCluster& cluster, const std::string& name) {
  return cluster.store.Get({"Node", "", name}).has_value();
}

const Happening kHappenings[] = {
    {"nothing", [](LiveCluster&) {}},
    {"the pod is deleted",
     [](LiveCluster& c) {
       if (Has(c, "p")) c.RemovePod("p");
     }},
    {"the pod is to go",
     [](LiveCluster& c) {
       if (!Has(c, "p")) return;
       c.UpdatePod("p", {.cpu = "1", .more_meta = R"("deletionTimestamp":"2026-01-01T00:00:00Z")"});
     }},
    {"the pod is made anew",
     [](LiveCluster& c) {
       if (Has(c, "p")) c.RemovePod("p");
       store::Operation again = PodOperation("p", {.cpu = "500m"});
       // A uid is never used twice, not even by the same test.
       again.uid = "uid-again-" + std::to_string(c.store.CurrentRevision().value());
       c.Write({again});
     }},
    {"the pod changes",
     [](LiveCluster& c) {
       if (Has(c, "p")) c.UpdatePod("p", {.cpu = "1", .more_meta = R"("labels":{"changed":"yes"})"});
     }},
    {"another binds it to the same node", [](LiveCluster& c) { BindElsewhere(c, "a"); }, true},
    {"another binds it to another node", [](LiveCluster& c) { BindElsewhere(c, "b"); }, true},
    {"its node goes",
     [](LiveCluster& c) {
       if (HasNode(c, "a")) c.RemoveNode("a");
     }},
    {"its node is replaced by a smaller one",
     [](LiveCluster& c) {
       if (HasNode(c, "a")) c.RemoveNode("a");
       c.AddNode("a", "500m");
     },
     true},
    {"a rival for its room comes",
     [](LiveCluster& c) {
       if (!Has(c, "rival")) c.AddPod("rival", {.cpu = "1", .priority = 10});
     }},
};

enum class Way : uint8_t { Plain, ThroughBindPlugin, ThroughPreBind, ThroughPermit };

// A scheduler without threads, whose pod takes the given way.
std::unique_ptr<LiveCluster> ClusterFor(Way way, const std::shared_ptr<PermitHolder>& holder) {
  framework::Registry registry = plugins::InTreeRegistry();
  std::vector<config::ProfilePlan> plans = DefaultPlans(registry);
  if (way == Way::ThroughBindPlugin) {
    auto bind = std::make_shared<SlowBind>();
    bind->before.Open();
    bind->after.Open();
    PutFirst(registry, plans, EntryOf("SlowBind", bind));
  } else if (way == Way::ThroughPreBind) {
    auto pre_bind = std::make_shared<SlowPreBind>();
    pre_bind->door.Open();
    PutFirst(registry, plans, EntryOf("SlowPreBind", pre_bind));
  } else if (way == Way::ThroughPermit) {
    holder->wait = seconds(5);
    PutFirst(registry, plans, EntryOf("Holder", holder));
  }
  return std::make_unique<LiveCluster>(std::move(registry), std::move(plans));
}

// What is wrong with the engine. Where others spoil the room, a node may hold more than it should: the pod that this
// engine placed there first, and that they placed there again, is not told from one of its own.
std::string Wrong(LiveCluster& cluster, bool spoiled) {
  const std::string wrong = cluster.engine().CheckInvariants();
  return spoiled && wrong.find("was given more pods than") != std::string::npos ? "" : wrong;
}

// Pumps `turns` times; every turn leaves the engine in order.
void Turn(LiveCluster& cluster, int turns, bool spoiled) {
  for (int i = 0; i < turns; ++i) {
    cluster.scheduler->Pump();
    ASSERT_EQ(Wrong(cluster, spoiled), "");
  }
}

void RunOne(Way way, int first_at, const Happening& first, int then_at, const Happening& then) {
  const auto holder = std::make_shared<PermitHolder>();
  const std::unique_ptr<LiveCluster> cluster = ClusterFor(way, holder);
  HistoryAudit audit(cluster->store);
  const bool spoiled = first.spoils_room || then.spoils_room;
  if (spoiled) audit.IgnoreCapacity();
  cluster->AddNode("a", "1");
  cluster->Settle();
  cluster->AddPod("p", {.cpu = "1"});
  Turn(*cluster, first_at, spoiled);
  first.happen(*cluster);
  Turn(*cluster, then_at, spoiled);
  then.happen(*cluster);
  cluster->Settle();
  ASSERT_EQ(Wrong(*cluster, spoiled), "");
  if (way == Way::ThroughPermit) {
    cluster->engine().waiting_pods().ForEach([](framework::WaitingPod& pod) { pod.Allow("Holder"); });
    cluster->Settle();
    holder->wait = Duration::zero();
  }
  cluster->Pass(minutes(10));
  EXPECT_EQ(audit.Problems(), "");
  EXPECT_EQ(Wrong(*cluster, spoiled), "");
  EXPECT_EQ(cluster->engine().attempts_under_way(), 0U);
  const LoadedState known = StateOf(cluster->engine());
  const LoadedState fresh = FreshStateOf(cluster->store);
  EXPECT_EQ(known.cluster, fresh.cluster);
  for (const std::string& uid : known.waiting) EXPECT_TRUE(fresh.waiting.contains(uid)) << uid;
}

class Interleavings : public testing::TestWithParam<Way> {};

TEST_P(Interleavings, NothingThatHappensOnTheWayLeavesATrace) {
  constexpr int kTurns = 5;
  for (int first_at = 0; first_at <= kTurns; ++first_at) {
    for (const Happening& first : kHappenings) {
      for (const int then_at : {0, 2}) {
        for (const Happening& then : kHappenings) {
          SCOPED_TRACE(std::string(first.name) + " after " + std::to_string(first_at) + " turns, " + then.name +
                       " after " + std::to_string(then_at) + " more");
          RunOne(GetParam(), first_at, first, then_at, then);
          if (HasFailure()) return;
        }
      }
    }
  }
}

std::string NameOf(const testing::TestParamInfo<Way>& way) {
  switch (way.param) {
    case Way::Plain: return "Plain";
    case Way::ThroughBindPlugin: return "ThroughBindPlugin";
    case Way::ThroughPreBind: return "ThroughPreBind";
    case Way::ThroughPermit: return "ThroughPermit";
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(Ways, Interleavings,
                         testing::Values(Way::Plain, Way::ThroughBindPlugin, Way::ThroughPreBind, Way::ThroughPermit),
                         NameOf);

}  // namespace
}  // namespace berth::test
