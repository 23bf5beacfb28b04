// SPDX-License-Identifier: Apache-2.0
// A pod's way to its node, move by move, and everything that may happen between two moves: each happening after each
// move, and a second one soon after. Whether the store or the writer tells first of a binding is tried both ways, and
// so is whether the happening is heard before or after what was under way is written.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/live_cluster.h"
#include "engine/stepped_scheduler.h"
#include "engine/test_plugins.h"
#include "plugins/registry.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Happening {
  const char* name;
  void (*happen)(StoredCluster&);
  bool spoils_room = false;  // takes room that a pod on its way counts on: then the node is overfilled, by others
};

bool Has(StoredCluster& cluster, const std::string& pod) { return cluster.NodeOf(pod) != "gone"; }

void BindElsewhere(StoredCluster& cluster, const std::string& node) {
  const store::Binding theirs{{"Pod", "default", "p"}, "uid-p", node, 0, 0};
  ASSERT_TRUE(cluster.store.Bind({&theirs, 1}, std::nullopt));
}

bool HasNode(StoredCluster& cluster, const std::string& name) {
  return cluster.store.Get({"Node", "", name}).has_value();
}

const Happening kNothing{"nothing", [](StoredCluster&) {}};

const Happening kHappenings[] = {
    {"the pod is deleted",
     [](StoredCluster& c) {
       if (Has(c, "p")) c.RemovePod("p");
     }},
    {"the pod is to go",
     [](StoredCluster& c) {
       if (!Has(c, "p")) return;
       c.UpdatePod("p", {.cpu = "1", .more_meta = R"("deletionTimestamp":"2026-01-01T00:00:00Z")"});
     },
     true},  // its room is given away, and a binding that is on its way may still come through
    {"the pod is made anew",
     [](StoredCluster& c) {
       if (Has(c, "p")) c.RemovePod("p");
       store::Operation again = PodOperation("p", {.cpu = "500m"});
       // A uid is never used twice, not even by the same test.
       again.uid = "uid-again-" + std::to_string(c.store.CurrentRevision().value());
       c.Write({again});
     }},
    {"the pod changes",
     [](StoredCluster& c) {
       if (Has(c, "p")) c.UpdatePod("p", {.cpu = "1", .more_meta = R"("labels":{"changed":"yes"})"});
     }},
    {"another binds it to the same node", [](StoredCluster& c) { BindElsewhere(c, "a"); }, true},
    {"another binds it to another node", [](StoredCluster& c) { BindElsewhere(c, "b"); }, true},
    {"its node goes",
     [](StoredCluster& c) {
       if (HasNode(c, "a")) c.RemoveNode("a");
     }},
    {"its node is replaced by a smaller one",
     [](StoredCluster& c) {
       if (HasNode(c, "a")) c.RemoveNode("a");
       c.AddNode("a", "500m");
     },
     true},
    {"a rival for its room comes",
     [](StoredCluster& c) {
       if (!Has(c, "rival")) c.AddPod("rival", {.cpu = "1", .priority = 10});
     }},
};

enum class Way : uint8_t { Plain, ThroughBindPlugin, ThroughPreBind, ThroughPermit };

// Whose turn it is: a part of the scheduler's, or that of whoever may allow pods that wait at Permit.
enum class Move : uint8_t { Hear, Decide, Work, Write, Answer, Allow };
using Moves = std::vector<Move>;

std::string TextOf(const Moves& moves) {
  constexpr std::array<const char*, 6> kNames = {"Hear ", "Decide ", "Work ", "Write ", "Answer ", "Allow "};
  std::string text;
  for (const Move move : moves) text += kNames.at(static_cast<size_t>(move));
  return text;
}

// The moves that take the pod to its node and its binding back to the engine: once the answer comes first, once what
// the store tells. Parts that have nothing to do on this way are left out. Where the pod has to wait, the node it will
// have is announced first.
std::vector<Moves> OrdersOf(Way way) {
  using enum Move;
  switch (way) {
    case Way::Plain: return {{Hear, Decide, Write, Answer, Hear, Decide}, {Hear, Decide, Write, Hear, Decide, Answer}};
    case Way::ThroughBindPlugin:
      return {{Hear, Decide, Work, Answer, Write, Answer, Work, Answer, Hear, Decide},
              {Hear, Decide, Work, Answer, Write, Hear, Decide, Answer, Work, Answer}};
    case Way::ThroughPreBind:
      return {{Hear, Decide, Work, Write, Answer, Write, Answer, Hear, Hear, Decide},
              {Hear, Decide, Work, Write, Answer, Write, Hear, Hear, Decide, Answer}};
    case Way::ThroughPermit:
      return {{Hear, Decide, Write, Answer, Allow, Decide, Write, Answer, Hear, Hear, Decide},
              {Hear, Decide, Allow, Decide, Write, Answer, Write, Hear, Hear, Decide, Answer}};
  }
  return {};
}

// Which moves are made before the first happening, between the two, and after the second. Then everything settles.
struct Plan {
  Moves before;
  Moves between;
  Moves after;
  friend auto operator<=>(const Plan&, const Plan&) = default;
};

std::set<Plan> PlansFor(Way way) {
  std::set<Plan> plans;
  for (const Moves& order : OrdersOf(way)) {
    for (auto here = order.begin();; ++here) {
      const Moves before(order.begin(), here);
      const auto soon = here + std::min<std::ptrdiff_t>(2, order.end() - here);
      plans.insert(Plan{before, {}, Moves(here, order.end())});         // it is heard in its turn, if that comes
      plans.insert(Plan{before, Moves(here, soon), {}});                // before the other happens, others move on
      plans.insert(Plan{before, Moves{Move::Hear, Move::Decide}, {}});  // it is heard before anybody moves on
      if (here == order.end()) break;
    }
  }
  return plans;
}

// The plugins that lead a pod this way, for one run after the other.
struct Arrangement {
  explicit Arrangement(Way way) {
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
      PutFirst(registry, plans, EntryOf("Holder", holder));
    }
  }

  framework::Registry registry = plugins::InTreeRegistry();
  std::vector<config::ProfilePlan> plans = DefaultPlans(registry);
  std::shared_ptr<PermitHolder> holder = std::make_shared<PermitHolder>();
};

// What is wrong with the engine. Where others spoil the room, a node may hold more than it should: the pod that this
// engine placed there first, and that they placed there again, is not told from one of its own.
std::string Wrong(SteppedScheduler& run, bool spoiled) {
  std::string wrong;
  std::istringstream lines(run.engine().CheckInvariants());
  for (std::string line; std::getline(lines, line);) {
    if (!spoiled || line.find("was given more pods than") == std::string::npos) wrong += line + "\n";
  }
  return wrong;
}

void Allow(SteppedScheduler& run) {
  run.engine().waiting_pods().ForEach([](framework::WaitingPod& pod) { pod.Allow("Holder"); });
}

void Make(SteppedScheduler& run, Move move) {
  switch (move) {
    case Move::Hear: run.Hear(); break;
    case Move::Decide: run.Decide(); break;
    case Move::Work: run.Work(); break;
    case Move::Write: run.Write(); break;
    case Move::Answer: run.Answer(); break;
    case Move::Allow: Allow(run); break;
  }
}

// Every move leaves the engine in order.
void MakeAll(SteppedScheduler& run, const Moves& moves, bool spoiled) {
  for (const Move move : moves) {
    Make(run, move);
    ASSERT_EQ(Wrong(run, spoiled), "");
  }
}

std::set<std::string> PodsThatAreToGo(const StoredCluster& cluster) {
  std::set<std::string> uids;
  for (const store::RecordPtr& pod : cluster.Pods()) {
    if (pod->value->find("deletionTimestamp") != std::string::npos) uids.insert(pod->uid);
  }
  return uids;
}

// The engine knows what one knows that starts over: it holds nothing that is gone, and has lost nothing.
void ExpectTheTruth(SteppedScheduler& run) {
  const LoadedState known = StateOf(run.engine());
  const LoadedState fresh = FreshStateOf(run.cluster.store);
  EXPECT_EQ(known.cluster, fresh.cluster);
  for (const std::string& uid : known.waiting) EXPECT_TRUE(fresh.waiting.contains(uid)) << uid << " is gone";
  // Whoever is to go is dropped when its turn comes. An engine that starts over has not had that turn.
  const std::set<std::string> to_go = PodsThatAreToGo(run.cluster);
  for (const std::string& uid : fresh.waiting) {
    EXPECT_TRUE(known.waiting.contains(uid) || to_go.contains(uid)) << uid << " is lost";
  }
}

void RunOne(Arrangement& arrangement, const Plan& plan, const Happening& first, const Happening& then) {
  SCOPED_TRACE(TextOf(plan.before) + "/ " + first.name + " / " + TextOf(plan.between) + "/ " + then.name + " / " +
               TextOf(plan.after));
  arrangement.holder->wait = seconds(5);
  SteppedScheduler run(arrangement.registry, arrangement.plans);
  HistoryAudit audit(run.cluster.store);
  const bool spoiled = first.spoils_room || then.spoils_room;
  if (spoiled) audit.IgnoreCapacity();
  run.cluster.AddNode("a", "1");
  run.Settle();
  run.cluster.AddPod("p", {.cpu = "1"});
  MakeAll(run, plan.before, spoiled);
  first.happen(run.cluster);
  MakeAll(run, plan.between, spoiled);
  then.happen(run.cluster);
  MakeAll(run, plan.after, spoiled);
  run.Settle();
  ASSERT_EQ(Wrong(run, spoiled), "");
  Allow(run);
  run.Settle();
  arrangement.holder->wait = Duration::zero();
  run.Pass(minutes(10));
  EXPECT_EQ(audit.Problems(), "");
  EXPECT_EQ(Wrong(run, spoiled), "");
  EXPECT_EQ(run.engine().attempts_under_way(), 0U);
  ExpectTheTruth(run);
}

class Interleavings : public testing::TestWithParam<Way> {};

// Each order takes the pod all the way, in both of its versions: otherwise nothing below would happen on the way.
TEST_P(Interleavings, TheMovesLeadToTheNode) {
  Arrangement arrangement(GetParam());
  arrangement.holder->wait = seconds(5);
  for (const Moves& order : OrdersOf(GetParam())) {
    SCOPED_TRACE(TextOf(order));
    SteppedScheduler run(arrangement.registry, arrangement.plans);
    run.cluster.AddNode("a", "1");
    run.Settle();
    run.cluster.AddPod("p", {.cpu = "1"});
    for (const Move move : order) {
      Make(run, move);
      EXPECT_EQ(Wrong(run, /*spoiled=*/false), "");
    }
    EXPECT_EQ(run.cluster.NodeOf("p"), "a");
    EXPECT_EQ(run.engine().counts().bound, 1U);
    EXPECT_EQ(run.engine().attempts_under_way(), 0U);
    const framework::PodInfo* known = run.engine().cluster().FindPod("uid-p");
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->pod->node_name, "a") << "the engine has heard of the binding";
  }
}

TEST_P(Interleavings, NothingThatHappensOnTheWayLeavesATrace) {
  Arrangement arrangement(GetParam());
  for (const Plan& plan : PlansFor(GetParam())) {
    for (const Happening& first : kHappenings) {
      RunOne(arrangement, plan, first, kNothing);
      if (HasFailure()) return;
      // Two happen with moves in between.
      if (plan.between.empty()) continue;
      for (const Happening& then : kHappenings) {
        RunOne(arrangement, plan, first, then);
        if (HasFailure()) return;
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
