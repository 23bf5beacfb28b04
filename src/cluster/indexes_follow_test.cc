// SPDX-License-Identifier: Apache-2.0
// Indexes follow the cluster, not its history: what no node and no pod has any more is forgotten.
#include "cluster/cluster_state.h"
#include "framework/pod_classes.h"
#include "support/builders.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::cluster {
namespace {

using framework::NodeId;
using framework::TopologyColumn;
using test::MakeNode;
using test::MakePod;

constexpr const char* kHostname = "kubernetes.io/hostname";

class IndexesFollow : public testing::Test {
 protected:
  // The value of the label on each node, as the column has it.
  std::map<std::string, std::string> ValuesOf(std::string_view key) {
    const TopologyColumn& column = state_.topology(key);
    std::map<std::string, std::string> values;
    state_.live_nodes().ForEach([&](size_t id) {
      const int32_t domain = column.domain_of_node[id];
      if (domain == TopologyColumn::kMissing) return;
      values[state_.node(static_cast<NodeId>(id)).name()] = column.values[static_cast<size_t>(domain)];
    });
    return values;
  }

  framework::ResourceNames names_;
  ClusterState state_{names_};
};

TEST_F(IndexesFollow, TaintSetsThatNoNodeHasAnyMore) {
  for (int node = 0; node < 3; ++node) state_.SetNode(MakeNode(std::to_string(node)));
  for (int i = 0; i < 100; ++i) {
    const std::string name = std::to_string(i % 3);
    state_.SetNode(MakeNode(name).Taint("since", std::to_string(i), api::TaintEffect::NoSchedule));
    ASSERT_LE(state_.taints().sets.size(), 4U);
    const uint32_t set = state_.taints().set_of_node[state_.FindNode(name)];
    ASSERT_EQ(state_.taints().sets[set].front().value, std::to_string(i));
  }
  // The other nodes kept theirs, whatever numbers were given up meanwhile.
  for (int node = 0; node < 3; ++node) {
    const uint32_t set = state_.taints().set_of_node[state_.FindNode(std::to_string(node))];
    EXPECT_EQ(state_.taints().sets[set].front().value, std::to_string(node == 0 ? 99 : 96 + node));
  }
  state_.SetNode(MakeNode("0"));
  state_.RemoveNode("1");
  EXPECT_EQ(state_.taints().sets.size(), 2U);
}

TEST_F(IndexesFollow, EqualTaintsAreOneSet) {
  state_.SetNode(MakeNode("a").Taint("k", "v", api::TaintEffect::NoSchedule));
  state_.SetNode(MakeNode("b").Taint("k", "v", api::TaintEffect::NoSchedule));
  state_.SetNode(MakeNode("c").Taint("k", "v", api::TaintEffect::NoExecute));
  EXPECT_EQ(state_.taints().sets.size(), 3U);
  state_.RemoveNode("a");
  EXPECT_EQ(state_.taints().sets.size(), 3U);
  state_.RemoveNode("b");
  EXPECT_EQ(state_.taints().sets.size(), 2U);
  EXPECT_EQ(state_.taints().sets[state_.taints().set_of_node[state_.FindNode("c")]][0].effect,
            api::TaintEffect::NoExecute);
}

TEST_F(IndexesFollow, DomainsThatNoNodeIsInAnyMore) {
  const auto add = [&](int i) {
    const std::string name = fmt::format("node-{}", i);
    state_.SetNode(MakeNode(name).Label(kHostname, name).Label("rack", std::to_string(i / 10)));
  };
  for (int i = 0; i < 5; ++i) add(i);
  EXPECT_EQ(state_.topology(kHostname).domain_count(), 5U);
  for (int i = 5; i < 200; ++i) {
    state_.RemoveNode(fmt::format("node-{}", i - 5));
    add(i);
    ASSERT_EQ(state_.topology(kHostname).domain_count(), 5U);
    ASSERT_LE(state_.topology("rack").domain_count(), 2U);
  }
  std::map<std::string, std::string> hosts;
  std::map<std::string, std::string> racks;
  for (int i = 195; i < 200; ++i) {
    const std::string name = fmt::format("node-{}", i);
    hosts[name] = name;
    racks[name] = "19";
  }
  EXPECT_EQ(ValuesOf(kHostname), hosts);
  EXPECT_EQ(ValuesOf("rack"), racks);
  EXPECT_EQ(state_.topology("rack").nodes_in_domain, std::vector<int32_t>{5});
}

TEST_F(IndexesFollow, ADomainMayGoWhileItsNodeMovesToANewOne) {
  for (const char* name : {"a", "b", "c"}) state_.SetNode(MakeNode(name).Label("rack", name));
  EXPECT_EQ(state_.topology("rack").domain_count(), 3U);
  state_.SetNode(MakeNode("a").Label("rack", "z"));
  state_.SetNode(MakeNode("b"));
  EXPECT_EQ(ValuesOf("rack"), (std::map<std::string, std::string>{{"a", "z"}, {"c", "c"}}));
  EXPECT_EQ(state_.topology("rack").domain_count(), 2U);
}

TEST(LabelIndex, ForgetsWhatIsLongUnused) {
  LabelIndex index;
  index.Resize(2);
  const api::NodePtr a = MakeNode("a").Label("x", "1").Build();
  const api::NodePtr b = MakeNode("b").Label("x", "2").Build();
  const auto each_node = [&](auto&& visit) {
    visit(NodeId{0}, *a);
    visit(NodeId{1}, *b);
  };
  const auto value = [](int i) { return api::NodeSelectorRequirement{"x", "In", {std::to_string(i)}}; };
  const auto other = [](int i) { return api::NodeSelectorRequirement{"x", "NotIn", {std::to_string(i)}}; };
  for (int i = 0; i < 100; ++i) {
    index.NodesMatching(value(i), each_node);
    index.NodesMatching(other(i), each_node);
    index.Topology(fmt::format("key-{}", i), each_node);
    index.NodesMatching(value(1), each_node);  // always in use
    index.Trim(20);
    ASSERT_LE(index.size(), 20U);
  }
  EXPECT_EQ(index.size(), 20U) << "no more is dropped than must be";
  const auto no_node = [](auto&&) { FAIL() << "is kept, and needs no look at the nodes"; };
  for (int i = 94; i < 100; ++i) {  // the latest 19 besides the one in use
    index.NodesMatching(value(i), no_node);
    index.NodesMatching(other(i), no_node);
    index.Topology(fmt::format("key-{}", i), no_node);
  }
  // What is asked again is found again, under a number that was used before; and changes reach all that is kept.
  EXPECT_TRUE(index.NodesMatching(value(2), each_node).Test(1));
  EXPECT_FALSE(index.NodesMatching(other(2), each_node).Test(1));
  const api::NodePtr changed = MakeNode("b").Label("x", "1").Build();
  index.SetNode(1, b.get(), *changed);
  EXPECT_TRUE(index.NodesMatching(value(1), no_node).Test(1));
  EXPECT_FALSE(index.NodesMatching(value(2), no_node).Test(1));
  EXPECT_TRUE(index.NodesMatching(other(2), no_node).Test(1));
  index.ClearNode(1);
  EXPECT_EQ(index.NodesMatching(value(1), no_node).Count(), 1U);
}

TEST(LabelIndex, ManyValuesOfALabelAreFoundInItsColumn) {
  framework::ResourceNames names;
  ClusterState cluster(names);
  const auto add = [&](int node, int value) {
    cluster.SetNode(MakeNode(fmt::format("n{}", node)).Label("rack", std::to_string(value)).Build());
  };
  for (int i = 0; i < 130; ++i) add(i, i % 20);
  cluster.SetNode(MakeNode("without").Build());
  const auto count = [&](std::vector<std::string> values) {
    return cluster.NodesMatching({.key = "rack", .op = "In", .values = std::move(values)}).Count();
  };
  size_t looked_at = 0;
  for (int value = 0; value < 20; ++value) looked_at += count({std::to_string(value)});
  EXPECT_EQ(looked_at, 130U) << "every node has one value";
  EXPECT_EQ(count({"3", "19", "none"}), 7U + 6U);
  add(3, 19);
  EXPECT_EQ(count({"3"}), 6U);
  EXPECT_EQ(count({"19"}), 7U);
  EXPECT_EQ(count({"3", "19", "none"}), 13U);
}

class PodIndexTest : public testing::Test {
 protected:
  framework::PodInfoPtr Pod(const std::string& job) {
    api::Pod pod = *like_;
    pod.meta.uid = pod.meta.name = job;
    pod.meta.labels.Set("job-name", job);
    return classes_.InfoOf(std::make_shared<const api::Pod>(std::move(pod)));
  }
  static framework::AffinityTerm Selecting(const std::string& key, const std::string& value) {
    framework::AffinityTerm term;
    term.selector = api::Selector::FromLabels({{key, value}});
    term.namespaces = {"default"};
    return term;
  }
  const framework::NodeCounts& Count(const framework::AffinityTerm& term) {
    const framework::AffinityTerm* const only = &term;
    return index_.Count({.all_of = {&only, 1}}, kNoNamespaces, [&](const auto& visit) {
      for (const auto& [pod_class, node] : placed_) visit(pod_class, node);
    });
  }
  void Place(const framework::PodInfo& pod, NodeId node) {
    placed_.emplace_back(index_.Enter(pod, kNoNamespaces), node);
    index_.Add(pod, placed_.back().first, node);
  }
  // The pod that was placed last.
  void TakeAway(const framework::PodInfo& pod) {
    index_.Remove(pod, placed_.back().first, placed_.back().second);
    index_.Leave(placed_.back().first);
    placed_.pop_back();
  }

  const PodIndex::NamespaceLabels kNoNamespaces = [](std::string_view) { return nullptr; };
  framework::ResourceNames names_;
  framework::PodClasses classes_{names_};
  const api::PodPtr like_ = MakePod("like").Label("app", "batch");
  PodIndex index_;
  std::vector<std::pair<PodIndex::ClassId, NodeId>> placed_;
};

TEST_F(PodIndexTest, AClassGoesWithItsLastPod) {
  const framework::AffinityTerm all = Selecting("app", "batch");
  EXPECT_EQ(Count(all).total(), 0);
  const framework::PodInfoPtr stays = Pod("stays");
  Place(*stays, 7);
  for (int i = 0; i < 100; ++i) {
    const framework::PodInfoPtr job = Pod(std::to_string(i));
    Place(*job, 3);
    Place(*job, 4);
    ASSERT_EQ(index_.class_count(), 2U);
    ASSERT_EQ(Count(all).total(), 3);
    ASSERT_EQ(Count(Selecting("job-name", std::to_string(i))).Get(4), 1);
    TakeAway(*job);
    ASSERT_EQ(index_.class_count(), 2U);
    TakeAway(*job);
    ASSERT_EQ(index_.class_count(), 1U);
  }
  EXPECT_EQ(Count(all).Get(7), 1);
  EXPECT_EQ(Count(all).total(), 1);
}

TEST_F(PodIndexTest, QueriesLongUnusedAreDropped) {
  const framework::PodInfoPtr job = Pod("7");
  Place(*job, 1);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(Count(Selecting("job-name", std::to_string(i))).total(), i == 7 ? 1 : 0);
    ASSERT_EQ(Count(Selecting("app", "batch")).total(), 1);  // always in use
    index_.Trim(10);
    ASSERT_LE(index_.query_count(), 10U);
  }
  // A number that was given up counts for its new query only.
  Place(*job, 2);
  EXPECT_EQ(Count(Selecting("app", "batch")).total(), 2);
  EXPECT_EQ(Count(Selecting("job-name", "99")).total(), 0);
  EXPECT_EQ(Count(Selecting("job-name", "7")).total(), 2);
}

}  // namespace
}  // namespace berth::cluster
