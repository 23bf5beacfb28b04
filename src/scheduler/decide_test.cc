// SPDX-License-Identifier: Apache-2.0
#include "scheduler/decide.h"

#include "support/builders.h"
#include "support/fake_plugins.h"
#include "support/test_bed.h"

#include <set>

#include <gtest/gtest.h>

namespace berth::scheduler {
namespace {

using framework::Code;
using test::MakeNode;
using test::MakePod;
using Outcome = Decision::Outcome;

constexpr std::string_view kZone = "topology.kubernetes.io/zone";

// Three nodes of 4 cpus in the default configuration.
class DecideTest : public testing::Test {
 protected:
  DecideTest() : bed_(test::DefaultTestBed()) {
    for (const char* name : {"n0", "n1", "n2"}) {
      bed_->Add(MakeNode(name).Label(kZone, "z").Allocatable("cpu", "4").Allocatable("memory", "8Gi").Build());
    }
  }
  Decision Decide(const test::PodBuilder& pod) {
    return scheduler::Decide(bed_->profile(), *pod.Info(bed_->names), cycle_, rng_, {.run_post_filter = false});
  }
  std::string Message(const test::PodBuilder& pod) { return Decide(pod).message; }
  std::string NodeOf(const Decision& decision) const {
    return decision.outcome == Outcome::Placed ? bed_->cluster.node(decision.node).name() : decision.message;
  }

  std::unique_ptr<test::TestBed> bed_;
  runtime::Cycle cycle_;
  Rng rng_{7};
};

TEST_F(DecideTest, EqualNodesHaveEqualChances) {
  std::set<std::string> chosen;
  for (int i = 0; i < 60; ++i) {
    const Decision decision = Decide(MakePod("p"));
    EXPECT_EQ(decision.best_count, 3U);
    chosen.insert(NodeOf(decision));
  }
  EXPECT_EQ(chosen.size(), 3U);
}

TEST_F(DecideTest, TheBestNodeWins) {
  bed_->Add(MakePod("a").Node("n0").Request("cpu", "2").Build());
  bed_->Add(MakePod("b").Node("n2").Request("cpu", "1").Build());
  const Decision decision = Decide(MakePod("p").Request("cpu", "1"));
  EXPECT_EQ(NodeOf(decision), "n1");
  EXPECT_EQ(decision.best_count, 1U);
  EXPECT_GT(decision.score, 0);
}

TEST_F(DecideTest, TheOnlyNodeIsNotScored) {
  const Decision decision = Decide(MakePod("p").NodeSelector("kubernetes.io/hostname", "n1"));
  EXPECT_EQ(NodeOf(decision), "n1");
  EXPECT_EQ(decision.score, 0);
  EXPECT_TRUE(cycle_.totals.empty());
}

TEST_F(DecideTest, ThePromisedNodeIsTriedFirst) {
  bed_->Add(MakePod("a").Node("n2").Request("cpu", "3").Build());
  EXPECT_EQ(NodeOf(Decide(MakePod("p").Request("cpu", "1").Nominated("n2"))), "n2") << "though others score higher";
  EXPECT_NE(NodeOf(Decide(MakePod("p").Request("cpu", "2").Nominated("n2"))), "n2") << "it does not fit there";
}

TEST(Decide, ThePromisedNodeIsTriedEvenIfPreFilterNamesOthers) {
  test::Log log;
  const auto narrowing = std::make_shared<test::FakeFilter>("A", log);
  narrowing->pre_filter.node_names = {{"n0"}};
  const framework::Registry registry({test::Fake("A", narrowing)});
  test::TestBed bed;
  bed.AddProfile(test::PlanOf(registry), registry);
  for (const char* name : {"n0", "n1"}) bed.cluster.SetNode(MakeNode(name));
  runtime::Cycle cycle;
  Rng rng{7};
  const auto node_of = [&](const test::PodBuilder& pod) {
    const Decision decision = Decide(bed.profile(), *pod.Info(bed.names), cycle, rng, {.run_post_filter = false});
    return bed.cluster.node(decision.node).name();
  };
  EXPECT_EQ(node_of(MakePod("p")), "n0");
  EXPECT_EQ(node_of(MakePod("q").Nominated("n1")), "n1");
}

TEST_F(DecideTest, ReasonsAreCounted) {
  bed_->Add(MakeNode("n2").Allocatable("cpu", "4").Unschedulable().Build());
  bed_->Add(MakePod("a").Node("n0").Request("cpu", "3").Build());
  const Decision decision = Decide(MakePod("p").Request("cpu", "5"));
  EXPECT_EQ(decision.outcome, Outcome::Unschedulable);
  EXPECT_EQ(decision.message, "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.");
  EXPECT_EQ(decision.rejectors, (std::vector<std::string>{"NodeResourcesFit", "NodeUnschedulable"}));
}

// From here on: pods that ask for what does not exist or cannot be read.

TEST_F(DecideTest, ANodeThatDoesNotExist) {
  EXPECT_EQ(Message(MakePod("p").Node("gone")),
            "0/3 nodes are available: 3 node(s) didn't match the requested node name.");
  EXPECT_EQ(Decide(MakePod("p").Nominated("gone")).outcome, Outcome::Placed);
  test::PodBuilder by_field = MakePod("p");
  by_field.affinity().node.emplace().required.emplace().terms = {{{}, {{"metadata.name", "In", {"gone"}}}}};
  EXPECT_EQ(Message(by_field), "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity].");
}

TEST_F(DecideTest, AClaimThatDoesNotExist) {
  const Decision decision = Decide(MakePod("p").Claim("gone"));
  EXPECT_EQ(decision.outcome, Outcome::Unschedulable);
  EXPECT_EQ(decision.pre_filter.code(), Code::UnschedulableAndUnresolvable);
  EXPECT_EQ(decision.message, "0/3 nodes are available: persistentvolumeclaim \"gone\" not found.");
}

TEST_F(DecideTest, AClaimWhoseVolumeDoesNotExist) {
  auto claim = std::make_shared<api::PersistentVolumeClaim>();
  claim->meta.name = "data";
  claim->meta.namespace_ = "default";
  claim->meta.annotations.Set("pv.kubernetes.io/bind-completed", "yes");
  claim->volume_name = "gone";
  bed_->Add(std::shared_ptr<const api::PersistentVolumeClaim>(std::move(claim)));
  EXPECT_EQ(Decide(MakePod("p").Claim("data")).outcome, Outcome::Unschedulable);
  EXPECT_NE(Message(MakePod("p").Claim("data")).find("persistentvolume"), std::string::npos);
}

TEST_F(DecideTest, ANamespaceThatDoesNotExist) {
  // Selectors see it as a namespace without labels; named, it is one like any other.
  test::PodBuilder pod = MakePod("ghost/p").Near("app", "web", "kubernetes.io/hostname");
  pod.affinity().pod->required.front().namespace_selector.emplace().match_labels.Set("team", "one");
  EXPECT_EQ(Message(pod), "0/3 nodes are available: 3 node(s) didn't match pod affinity rules.");
  bed_->Add(MakePod("ghost/friend").Label("app", "web").Node("n1").Build());
  EXPECT_EQ(NodeOf(Decide(MakePod("ghost/p").Near("app", "web", "kubernetes.io/hostname"))), "n1");
}

TEST_F(DecideTest, AnOwnerThatDoesNotExist) {
  test::PodBuilder pod = MakePod("p").Label("app", "web");
  pod.meta().owners.push_back({"apps/v1", "ReplicaSet", "gone", "u", true});
  EXPECT_EQ(Decide(pod).outcome, Outcome::Placed);
}

TEST_F(DecideTest, AffinitySelectorsThatDoNotParse) {
  test::PodBuilder pod = MakePod("p").Near("app", "web", kZone);
  pod.affinity().pod->required.front().label_selector->match_expressions.push_back({"app", "Near", {}});
  const Decision decision = Decide(pod);
  EXPECT_EQ(decision.pre_filter.code(), Code::UnschedulableAndUnresolvable);
  EXPECT_EQ(decision.rejectors, (std::vector<std::string>{"InterPodAffinity"}));
  EXPECT_EQ(decision.message,
            "0/3 nodes are available: parsing pod: requiredAffinityTerms: \"Near\" is not a valid label selector "
            "operator.");
  pod.Away("app", "web", kZone);
  pod.affinity().anti->required.front().label_selector->match_expressions.push_back({"app", "Far", {}});
  EXPECT_EQ(Message(pod),
            "0/3 nodes are available: parsing pod: [requiredAffinityTerms: \"Near\" is not a valid label selector "
            "operator, requiredAntiAffinityTerms: \"Far\" is not a valid label selector operator].");
}

TEST_F(DecideTest, RunningPodsWithSelectorsThatDoNotParse) {
  test::PodBuilder running = MakePod("running").Node("n0").Away("app", "web", kZone);
  running.affinity().anti->required.front().label_selector->match_expressions.push_back({"app", "Far", {}});
  bed_->Add(running.Build());
  EXPECT_EQ(Decide(MakePod("p").Label("app", "web")).outcome, Outcome::Placed);
}

TEST_F(DecideTest, SpreadSelectorsThatDoNotParse) {
  test::PodBuilder pod = MakePod("p").Spread("app", "web", kZone, 1);
  pod.spec().topology_spread_constraints.front().label_selector->match_expressions.push_back({"app", "Near", {}});
  const Decision decision = Decide(pod);
  EXPECT_EQ(decision.outcome, Outcome::Error);
  EXPECT_EQ(decision.message,
            "running PreFilter plugin \"PodTopologySpread\": get constraints from pod: obtaining pod's hard topology "
            "spread constraints: \"Near\" is not a valid label selector operator");
}

TEST_F(DecideTest, NodeSelectorsThatDoNotParse) {
  for (const api::NodeSelectorRequirement& broken : {api::NodeSelectorRequirement{"disk", "Near", {}},
                                                     {"disk", "Gt", {"word"}},
                                                     {"disk", "In", {}},
                                                     {"not a key!", "Exists", {}}}) {
    test::PodBuilder pod = MakePod("p");
    pod.affinity().node.emplace().required.emplace().terms = {{{broken}, {}}};
    EXPECT_EQ(Message(pod), "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
        << broken.key << " " << broken.op;
  }
}

TEST_F(DecideTest, TopologyKeysNobodyHas) {
  EXPECT_EQ(Message(MakePod("p").Spread("app", "web", "galaxy", 1)),
            "0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints (missing required "
            "label).");
  EXPECT_EQ(Message(MakePod("p").Label("app", "web").Near("app", "web", "galaxy")),
            "0/3 nodes are available: 3 node(s) didn't match pod affinity rules.");
  EXPECT_EQ(Decide(MakePod("p").Label("app", "web").Away("app", "web", "galaxy")).outcome, Outcome::Placed);
}

TEST_F(DecideTest, AmountsBeyondAllBounds) {
  EXPECT_EQ(Message(MakePod("p").Request("memory", "9223372036854775807")),
            "0/3 nodes are available: 3 Insufficient memory.");
  EXPECT_EQ(Message(MakePod("p").Request("cpu", "9223372036854775807")),
            "0/3 nodes are available: 3 Insufficient cpu.");
  EXPECT_EQ(Message(MakePod("p").Request("memory", "100E").Container({{"memory", "100E"}})),
            "0/3 nodes are available: 3 Insufficient memory.");
  EXPECT_EQ(Message(MakePod("p").Request("no.such/thing", "1")),
            "0/3 nodes are available: 3 Insufficient no.such/thing.");
}

TEST_F(DecideTest, NodesWithoutAnything) {
  for (const char* name : {"n0", "n1", "n2"}) {
    auto bare = std::make_shared<api::Node>();
    bare->meta.name = name;
    bed_->Add(api::NodePtr(std::move(bare)));
  }
  EXPECT_EQ(Message(MakePod("p").Request("cpu", "1")), "0/3 nodes are available: 3 Insufficient cpu, 3 Too many pods.");
}

TEST_F(DecideTest, PodsWithoutContainers) {
  test::PodBuilder pod = MakePod("p");
  pod.spec().containers.clear();
  EXPECT_EQ(Decide(pod).outcome, Outcome::Placed);
}

}  // namespace
}  // namespace berth::scheduler
