// SPDX-License-Identifier: Apache-2.0
// What golden cases do not reach: namespace selectors that match namespaces without labels, and pods that bring a
// topology key nobody had.
#include "cluster/cluster_state.h"
#include "plugins/inter_pod_affinity/affinity_state.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace berth::plugins::affinity {
namespace {

class Affinity : public ::testing::Test {
 protected:
  void AddNode(const std::string& name, const api::Labels& labels) {
    auto node = std::make_shared<api::Node>();
    node->meta.name = name;
    node->meta.labels = labels;
    cluster_.SetNode(node);
  }
  void AddNamespace(const std::string& name, const api::Labels& labels) {
    auto found = std::make_shared<api::Namespace>();
    found->meta.name = name;
    found->meta.labels = labels;
    cluster_.SetObject(std::shared_ptr<const api::Namespace>(found));
  }
  framework::PodInfoPtr MakePod(const std::string& uid, const std::string& ns, const api::PodAffinity& anti = {}) {
    auto affinity = std::make_shared<api::Affinity>();
    affinity->anti = anti;
    auto spec = std::make_shared<api::PodSpec>();
    spec->affinity = affinity;
    auto pod = std::make_shared<api::Pod>();
    pod->meta.uid = uid;
    pod->meta.namespace_ = ns;
    pod->meta.labels = {{"app", "web"}};
    pod->spec = spec;
    pod->status = std::make_shared<api::PodStatus>();
    return framework::MakePodInfo(pod, names_);
  }
  static api::PodAffinity Against(const std::string& key) {
    api::PodAffinityTerm term;
    term.label_selector = api::LabelSelector{{{"app", "web"}}, {}};
    term.topology_key = key;
    return {{term}, {}};
  }
  AffinityState Counted(const framework::PodInfo& pod) {
    AffinityState state;
    state.Prepare(cluster_, pod, cluster_.objects());
    return state;
  }

  framework::ResourceNames names_;
  cluster::ClusterState cluster_{names_};
};

TEST_F(Affinity, NamespaceSelectorSelectsAmongNamespacesThatExist) {
  AddNamespace("mine", {});
  AddNamespace("red", {{"team", "red"}});
  AddNamespace("plain", {});
  api::PodAffinity anti = Against("host");
  anti.required[0].namespace_selector = api::LabelSelector{{}, {{"team", "NotIn", {"red"}}}};
  const framework::PodInfoPtr pod = MakePod("new", "mine", anti);

  for (const auto& [ns, is_avoided] : {std::pair{"plain", true}, {"red", false}, {"unknown", false}}) {
    AddNode("node", {{"host", "a"}});
    cluster_.PlacePod(MakePod("other", ns), "node");
    const AffinityState state = Counted(*pod);
    EXPECT_EQ(state.Judge(cluster_.node(0)).ok(), !is_avoided) << ns;

    AffinityState emptied = state;
    emptied.Update(*MakePod("other", ns), cluster_.node(0), cluster_.objects(), -1);
    EXPECT_TRUE(emptied.Judge(cluster_.node(0)).ok()) << ns;
  }
}

TEST_F(Affinity, NominatedPodMayBringItsOwnTopologyKey) {
  AddNode("node", {{"host", "a"}, {"rack", "1"}});
  AddNode("neighbour", {{"host", "b"}, {"rack", "1"}});
  AddNode("stranger", {{"host", "c"}});
  const framework::PodInfoPtr pod = MakePod("new", "mine", Against("host"));
  const AffinityState before = Counted(*pod);
  AffinityState state = before;
  state.Update(*MakePod("nominated", "mine", Against("rack")), cluster_.node(0), cluster_.objects(), +1);

  EXPECT_EQ(state.Judge(cluster_.node(0)).Message(), "node(s) didn't match pod anti-affinity rules");
  EXPECT_EQ(state.Judge(cluster_.node(1)).Message(), "node(s) didn't satisfy existing pods anti-affinity rules");
  EXPECT_TRUE(state.Judge(cluster_.node(2)).ok());
  EXPECT_TRUE(before.Judge(cluster_.node(1)).ok());

  framework::Verdicts verdicts;
  verdicts.Reset(cluster_.live_nodes());
  state.JudgeAll(cluster_, verdicts);
  for (framework::NodeId node = 0; node < 3; ++node) {
    EXPECT_EQ(verdicts.Of(node).Message(), state.Judge(cluster_.node(node)).Message()) << node;
  }
}

}  // namespace
}  // namespace berth::plugins::affinity
