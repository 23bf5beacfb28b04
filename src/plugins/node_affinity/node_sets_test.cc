// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/node_sets.h"

#include "cluster/cluster_state.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using api::NodeSelectorTerm;

struct Asked {
  std::string what;
  api::Labels node_selector;
  std::vector<NodeSelectorTerm> terms;
  std::vector<std::string> nodes;  // expected
};

// Inputs that the API server would refuse; one node and all nodes must still be judged alike.
TEST(NodeSets, BothWaysAgreeOnOddInput) {
  framework::ResourceNames names;
  cluster::ClusterState cluster(names);
  for (const auto& [name, labels] : std::vector<std::pair<std::string, api::Labels>>{
           {"a", {{"disk", "ssd"}, {"odd", "-x-"}}}, {"gone", {}}, {"b", {{"disk", "hdd"}}}, {"c", {}}}) {
    auto node = std::make_shared<api::Node>();
    node->meta.name = name;
    node->meta.labels = labels;
    cluster.SetNode(node);
  }
  cluster.RemoveNode("gone");

  const Asked cases[] = {
      {"selector value that is no label value", {{"odd", "-x-"}}, {}, {"a"}},
      {"the same as a requirement does not parse", {}, {{{{"odd", "In", {"-x-"}}}, {}}}, {}},
      {"an unparsable term beside a good one",
       {},
       {{{{"disk", "Gt", {"x"}}}, {}}, {{{"disk", "Exists", {}}}, {}}},
       {"a", "b"}},
      {"an empty term matches nothing", {}, {{}}, {}},
      {"no vacant slot appears", {}, {{{{"disk", "DoesNotExist", {}}}, {}}}, {"c"}},
      {"name in and not in", {}, {{{}, {{"metadata.name", "In", {"a"}}, {"metadata.name", "NotIn", {"b"}}}}}, {"a"}},
      {"conflicting names", {}, {{{}, {{"metadata.name", "In", {"a"}}, {"metadata.name", "In", {"b"}}}}}, {}},
      {"a name that is gone", {}, {{{}, {{"metadata.name", "NotIn", {"gone"}}}}}, {"a", "b", "c"}},
      {"two names do not parse", {}, {{{}, {{"metadata.name", "In", {"a", "b"}}}}}, {}},
      {"an unknown field is empty", {}, {{{}, {{"metadata.uid", "In", {""}}}}}, {"a", "b", "c"}},
      {"an unknown field is not x", {}, {{{}, {{"metadata.uid", "In", {"x"}}}}}, {}},
      {"selector and term are both needed", {{"disk", "ssd"}}, {{{{"disk", "In", {"hdd"}}}, {}}}, {}},
  };
  for (const Asked& c : cases) {
    api::PodSpec spec;
    spec.node_selector = c.node_selector;
    if (!c.terms.empty()) {
      api::Affinity affinity;
      affinity.node.emplace().required = api::NodeSelector{c.terms};
      spec.affinity = std::make_shared<const api::Affinity>(affinity);
    }
    Bitset nodes = cluster.live_nodes();
    KeepMeetingRequirements(spec, cluster, nodes);
    std::vector<std::string> together;
    nodes.ForEach([&](size_t id) { together.push_back(cluster.node(static_cast<framework::NodeId>(id)).name()); });
    std::vector<std::string> one_by_one;
    cluster.live_nodes().ForEach([&](size_t id) {
      const framework::NodeInfo& node = cluster.node(static_cast<framework::NodeId>(id));
      if (MeetsRequirements(spec, *node.node)) one_by_one.push_back(node.name());
    });
    EXPECT_EQ(together, c.nodes) << c.what;
    EXPECT_EQ(one_by_one, c.nodes) << c.what;
  }
}

}  // namespace
}  // namespace berth::plugins
