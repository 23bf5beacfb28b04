// SPDX-License-Identifier: Apache-2.0
// The cluster is kept up to date change by change: it must always look as if it had been made afresh.
#include "cluster/cluster_state.h"

#include "support/builders.h"
#include "support/random_cluster.h"
#include "support/random_parts.h"
#include "support/rounds.h"
#include "support/same_text.h"

#include <deque>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::test {
namespace {

using cluster::Change;
using cluster::ClusterState;
using framework::AffinityTerm;
using framework::NodeId;
using framework::ResourceNames;
using framework::TopologyColumn;

// Questions that fill the cluster's indexes, and their answers as text that names nodes instead of numbering them.
class Questions {
 public:
  // Asks what pods of this cluster would ask.
  Questions(uint64_t seed, RandomCluster& random, ResourceNames& names) : dice_(seed), names_(names) {
    while (terms_.size() < 12) Collect(*random.PendingPod());
    for (size_t i = 0; i < 12; ++i) {
      for (const auto& requirement : RandomNodeTerm(dice_, {.nodes = 8}, false).match_expressions) {
        requirements_.push_back(requirement);
      }
      images_.push_back(RandomImage(dice_));
    }
  }

  std::string Ask(ClusterState& state) const {
    std::string text;
    for (const char* key : {kHostname, kZone, kRegion, "rack", "absent"}) text += Topology(state, key);
    for (const auto& requirement : requirements_) {
      text +=
          fmt::format("{} {}:{}\n", requirement.key, requirement.op, Names(state, state.NodesMatching(requirement)));
    }
    for (size_t i = 0; i < terms_.size(); ++i) {
      const AffinityTerm* const both[] = {&terms_[i], &terms_[(i + 1) % terms_.size()]};
      text += Counts(state, {.all_of = {both, 1}});
      text += Counts(state, {.all_of = both, .skip_terminating = true});
    }
    for (const std::string& image : images_) {
      const framework::ImageState* found = state.image(image);
      if (found != nullptr) text += fmt::format("{} on {}:{}\n", image, found->node_count, Names(state, found->nodes));
    }
    text += "ports" + Names(state, state.nodes_with_host_ports()) + "\n";
    text += "unschedulable" + Names(state, state.unschedulable_nodes()) + "\n";
    for (const std::string& ns : RandomNamespaces()) {
      for (int i = 0; i < 4; ++i) {
        const std::string claim = fmt::format("{}/claim-{}", ns, i);
        text += fmt::format("{} used by {}\n", claim, state.ClaimUsers(claim));
      }
    }
    return text;
  }

 private:
  void Collect(const framework::PodInfo& pod) {
    for (const AffinityTerm& term : pod.traits->required_affinity) terms_.push_back(term);
    for (const AffinityTerm& term : pod.traits->required_anti_affinity) terms_.push_back(term);
    for (const auto& preferred : pod.traits->preferred_affinity) terms_.push_back(preferred.term);
  }

  static std::string Names(const ClusterState& state, const Bitset& nodes) {
    std::vector<std::string> names;
    nodes.ForEach([&](size_t id) {
      names.push_back(state.live_nodes().Test(id) ? state.node(static_cast<NodeId>(id)).name() : "a vacant slot");
    });
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string& name : names) text += " " + name;
    return text;
  }

  static std::string Counts(ClusterState& state, const framework::PodQuery& query) {
    const framework::NodeCounts& counts = state.CountPods(query);
    std::map<std::string, int32_t> by_name;
    counts.ForEach([&](NodeId id, int32_t count) {
      by_name[state.live_nodes().Test(id) ? state.node(id).name() : "a vacant slot"] = count;
    });
    std::string text = fmt::format("count {}:", counts.total());
    for (const auto& [name, count] : by_name) text += fmt::format(" {}={}", name, count);
    return text + "\n";
  }

  static std::string Topology(ClusterState& state, std::string_view key) {
    const TopologyColumn& column = state.topology(key);
    std::map<std::string, std::string> value_of_node;
    std::map<std::string, int32_t> nodes_with_value;
    for (size_t id = 0; id < state.node_slots(); ++id) {
      const int32_t domain = column.domain_of_node[id];
      if (domain == TopologyColumn::kMissing) continue;
      value_of_node[state.live_nodes().Test(id) ? state.node(static_cast<NodeId>(id)).name() : "a vacant slot"] =
          column.values[static_cast<size_t>(domain)];
    }
    for (size_t domain = 0; domain < column.domain_count(); ++domain) {
      if (column.nodes_in_domain[domain] != 0) nodes_with_value[column.values[domain]] = column.nodes_in_domain[domain];
    }
    std::string text = fmt::format("topology {}:", key);
    for (const auto& [node, value] : value_of_node) text += fmt::format(" {}={}", node, value);
    for (const auto& [value, nodes] : nodes_with_value) text += fmt::format(" {}×{}", nodes, value);
    return text + "\n";
  }

  Dice dice_;
  ResourceNames& names_;
  std::deque<AffinityTerm> terms_;
  std::vector<api::NodeSelectorRequirement> requirements_;
  std::vector<std::string> images_;
};

// Pods that share a host port free it when the first of them goes, as upstream: then the past shows.
ClusterShape ShapeOf(uint64_t seed) {
  return {.nodes = 3 + seed % 12,
          .pods = 8 + seed % 30,
          .ports = 0.6,
          .pod_affinity = 0.8,
          .volumes = 0.5,
          .unique_ports = true};
}

TEST(ClusterState, ChangeByChangeEqualsAfresh) {
  for (uint64_t seed = 0; seed < Rounds(60) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ResourceNames names;
    RandomCluster random(seed, ShapeOf(seed), names);
    const Questions questions(seed, random, names);
    ClusterState state(names);
    random.FillIn(state);
    for (size_t step = 0; step < 60; ++step) {
      state.Apply(random.NextChange());
      if (step % 7 != 0) continue;
      ClusterState afresh(names);
      random.FillIn(afresh, seed * 100 + step);
      ASSERT_TRUE(SameText(afresh.Describe(), state.Describe()));
      ASSERT_TRUE(SameText(questions.Ask(afresh), questions.Ask(state)));
      ASSERT_EQ(state.node_count(), random.node_count());
      ASSERT_EQ(state.pod_count_total(), random.pod_count());
      ASSERT_EQ(state.live_nodes().Count(), random.node_count());
    }
  }
}

TEST(ClusterState, ReplayingTheJournalGivesTheSameCluster) {
  for (uint64_t seed = 100; seed < 100 + Rounds(40) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ResourceNames names;
    ClusterShape shape = ShapeOf(seed);
    shape.unique_ports = false;  // the replay goes through the same past
    RandomCluster random(seed, shape, names);
    const Questions questions(seed, random, names);
    ClusterState state(names);
    random.FillIn(state);
    ClusterState replayed(names);
    uint64_t seen = 0;
    for (size_t step = 0; step < 5; ++step) {
      for (size_t i = 0; i < 10; ++i) {
        if (i % 3 == 0) state.BeginCycle();
        state.Apply(random.NextChange());
      }
      ASSERT_TRUE(state.journal().Since(seen, [&](const Change& change) {
        EXPECT_EQ(change.revision, ++seen);
        replayed.Apply(change);
      }));
      ASSERT_TRUE(SameText(replayed.Describe(), state.Describe()));
      ASSERT_TRUE(SameText(questions.Ask(replayed), questions.Ask(state)));
      ASSERT_EQ(state.journal().revision(), replayed.journal().revision());
    }
  }
}

TEST(ClusterState, ForksLeaveNoTrace) {
  for (uint64_t seed = 200; seed < 200 + Rounds(30) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    ResourceNames names;
    RandomCluster random(seed, ShapeOf(seed), names);
    const Questions questions(seed, random, names);
    ClusterState state(names);
    random.FillIn(state);
    // Half of the time the indexes exist before the fork, half of the time each side makes its own.
    if (seed % 2 == 0) questions.Ask(state);
    RandomCluster other = random;
    ClusterState fork = state.Fork();
    const std::string before = state.Describe();
    const std::string answers = seed % 4 < 2 ? questions.Ask(state) : std::string();
    for (size_t step = 0; step < 40; ++step) fork.Apply(other.NextChange());
    EXPECT_TRUE(SameText(before, state.Describe()));
    if (!answers.empty()) {
      EXPECT_TRUE(SameText(answers, questions.Ask(state)));
    }

    const std::string of_fork = fork.Describe();
    const std::string answers_of_fork = questions.Ask(fork);
    random.PendingPod();  // draws differently from here on
    for (size_t step = 0; step < 40; ++step) state.Apply(random.NextChange());
    EXPECT_TRUE(SameText(of_fork, fork.Describe()));
    EXPECT_TRUE(SameText(answers_of_fork, questions.Ask(fork)));

    ClusterState afresh(names);
    random.FillIn(afresh);
    EXPECT_TRUE(SameText(afresh.Describe(), state.Describe()));
    EXPECT_TRUE(SameText(questions.Ask(afresh), questions.Ask(state)));
  }
}

TEST(ClusterState, PodsWaitForTheirNode) {
  ResourceNames names;
  ClusterState state(names);
  const AffinityTerm everyone{api::Selector::Everything(), {"default"}, {}, kHostname};
  const AffinityTerm* const terms[] = {&everyone};
  const auto count = [&] { return state.CountPods({.all_of = terms}).total(); };
  state.PlacePod(MakePod("early").Request("cpu", "1").Claim("data").HostPort(80).Away("a", "b", kZone).Info(names),
                 "a");
  EXPECT_EQ(state.NodeOf("default/early"), "a");
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(state.ClaimUsers("default/data"), 0);
  EXPECT_TRUE(state.carried_terms(framework::TermKind::RequiredAntiAffinity).empty());

  state.SetNode(MakeNode("a").Allocatable("cpu", "4"));
  EXPECT_EQ(state.node(state.FindNode("a")).requested.cpu, 1000);
  EXPECT_EQ(state.resource(framework::ResourceId::Cpu).requested[state.FindNode("a")], 1000);
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(state.ClaimUsers("default/data"), 1);
  EXPECT_EQ(state.carried_terms(framework::TermKind::RequiredAntiAffinity).size(), 1U);

  state.RemoveNode("a");
  EXPECT_EQ(state.node_count(), 0U);
  EXPECT_EQ(state.pod_count_total(), 1U);
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(state.ClaimUsers("default/data"), 0);
  // A pod that goes while its node is away does not come back with it.
  state.PlacePod(MakePod("late").Info(names), "a");
  state.RemovePod("default/early");
  state.SetNode(MakeNode("a"));
  EXPECT_EQ(state.node(state.FindNode("a")).pods.size(), 1U);
  EXPECT_EQ(count(), 1);
}

TEST(ClusterState, PodsThatWaitCanMove) {
  ResourceNames names;
  ClusterState state(names);
  state.SetNode(MakeNode("b"));
  state.PlacePod(MakePod("p").Info(names), "a");
  state.PlacePod(MakePod("p").Info(names), "b");
  state.SetNode(MakeNode("a"));
  EXPECT_TRUE(state.node(state.FindNode("a")).pods.empty());
  EXPECT_EQ(state.node(state.FindNode("b")).pods.size(), 1U);
  EXPECT_EQ(state.pod_count_total(), 1U);
}

TEST(ClusterState, PodsThatWaitAreOrderedAsOnANode) {
  ResourceNames names;
  ClusterState state(names);
  state.SetNode(MakeNode("there"));
  for (const char* node : {"there", "missing"}) {
    for (const char* pod : {"a", "b", "c"}) state.PlacePod(MakePod(fmt::format("{}/{}", node, pod)).Info(names), node);
    state.RemovePod(fmt::format("{}/a", node));
  }
  state.SetNode(MakeNode("missing"));
  for (const char* node : {"there", "missing"}) {
    std::string order;
    for (const auto& pod : state.node(state.FindNode(node)).pods) order += pod->pod->meta.name;
    EXPECT_EQ(order, "cb") << node;
  }
}

TEST(ClusterState, SlotsAreUsedAgain) {
  ResourceNames names;
  ClusterState state(names);
  for (const char* name : {"a", "b", "c"}) {
    state.SetNode(MakeNode(name)
                      .Label("disk", "ssd")
                      .Label(kZone, name)
                      .Allocatable("example.com/gpu", "8")
                      .Image("busybox:v1", 100)
                      .Taint("spot", "", api::TaintEffect::NoSchedule)
                      .Unschedulable());
  }
  state.PlacePod(MakePod("old").Request("example.com/gpu", "2").HostPort(80).Priority(-5).Info(names), "b");
  const api::NodeSelectorRequirement ssd{"disk", "In", {"ssd"}};
  EXPECT_EQ(state.NodesMatching(ssd).Count(), 3U);
  EXPECT_EQ(state.topology(kZone).domain_count(), 3U);
  const NodeId slot = state.FindNode("b");
  const framework::ResourceId gpu = names.Intern("example.com/gpu");
  state.RemoveNode("b");
  EXPECT_FALSE(state.live_nodes().Test(slot));
  EXPECT_EQ(state.NodesMatching(ssd).Count(), 2U);
  EXPECT_EQ(state.image("busybox:v1")->node_count, 2U);
  EXPECT_EQ(state.resource(gpu).allocatable[slot], 0);

  state.SetNode(MakeNode("d"));
  EXPECT_EQ(state.FindNode("d"), slot);
  EXPECT_EQ(state.node_slots(), 3U);
  EXPECT_EQ(state.node(slot).name(), "d");
  EXPECT_TRUE(state.node(slot).pods.empty());
  EXPECT_EQ(state.resource(gpu).allocatable[slot], 0);
  EXPECT_EQ(state.resource(gpu).requested[slot], 0);
  EXPECT_EQ(state.lowest_priority()[slot], INT32_MAX);
  EXPECT_EQ(state.taints().set_of_node[slot], 0U);
  EXPECT_FALSE(state.unschedulable_nodes().Test(slot));
  EXPECT_FALSE(state.nodes_with_host_ports().Test(slot));
  EXPECT_FALSE(state.NodesMatching(ssd).Test(slot));
  EXPECT_EQ(state.topology(kZone).domain_of_node[slot], TopologyColumn::kMissing);
  EXPECT_EQ(state.image("busybox:v1")->node_count, 2U);
}

TEST(ClusterState, RowVersionsTellRowsApart) {
  ResourceNames names;
  ClusterState state(names);
  state.SetNode(MakeNode("a"));
  state.SetNode(MakeNode("b"));
  const NodeId a = state.FindNode("a");
  const uint64_t b_before = state.row_version()[state.FindNode("b")];
  uint64_t last = state.row_version()[a];
  const auto grew = [&] { return std::exchange(last, state.row_version()[a]) < state.row_version()[a]; };
  state.PlacePod(MakePod("p").Info(names), "a");
  EXPECT_TRUE(grew());
  state.SetNode(MakeNode("a").Label("x", "y"));
  EXPECT_TRUE(grew());
  state.RemovePod("default/p");
  EXPECT_TRUE(grew());
  state.SetObject(std::make_shared<const api::Namespace>());
  EXPECT_FALSE(grew());
  EXPECT_EQ(state.row_version()[state.FindNode("b")], b_before);
}

TEST(ClusterState, UnknownThingsMayBeRemoved) {
  ResourceNames names;
  ClusterState state(names);
  const std::string empty = state.Describe();
  state.RemoveNode("nobody");
  state.RemovePod("nobody");
  state.RemoveObject("Namespace", "nowhere");
  state.RemoveObject("NoSuchKind", "x");
  EXPECT_TRUE(SameText(empty, state.Describe()));
  EXPECT_EQ(state.journal().revision(), 0U);
  EXPECT_EQ(state.FindPod("nobody"), nullptr);
  EXPECT_EQ(state.NodeOf("nobody"), "");
}

TEST(Journal, ForgetsTheOldest) {
  cluster::Journal journal(3);
  for (int i = 0; i < 5; ++i) journal.Append(framework::kNoNode, cluster::PodRemoved{std::to_string(i)});
  EXPECT_EQ(journal.revision(), 5U);
  EXPECT_FALSE(journal.Since(1, [](const Change&) { FAIL(); }));
  std::vector<uint64_t> revisions;
  EXPECT_TRUE(journal.Since(2, [&](const Change& change) { revisions.push_back(change.revision); }));
  EXPECT_EQ(revisions, (std::vector<uint64_t>{3, 4, 5}));
  EXPECT_TRUE(journal.Since(5, [](const Change&) { FAIL(); }));
}

}  // namespace
}  // namespace berth::test
