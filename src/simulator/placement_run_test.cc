// SPDX-License-Identifier: Apache-2.0
#include "simulator/placement_run.h"

#include "api/document.h"
#include "config/load.h"
#include "config/plan.h"
#include "plugins/registry.h"
#include "simulator/report_document.h"
#include "simulator/report_text.h"

#include <gtest/gtest.h>

namespace berth::simulator {
namespace {

// A node of 4 cpu in a zone.
std::string Node(const std::string& name, const std::string& zone = "z") {
  return "---\nkind: Node\nmetadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + name +
         ", zone: " + zone + "}}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n";
}

std::string Pod(const std::string& name, const std::string& cpu, const std::string& spec = "",
                const std::string& meta = "") {
  return "---\nkind: Pod\nmetadata: {name: " + name + (meta.empty() ? "" : ", " + meta) + "}\nspec: {" +
         (spec.empty() ? "" : spec + ", ") + "containers: [{name: c, resources: {requests: {cpu: " + cpu + "}}}]}\n";
}

PlacementReport Simulated(const std::string& yaml, const framework::Registry& registry = plugins::InTreeRegistry(),
                          const std::string& config = "", uint64_t seed = 0) {
  auto planned = config::LoadAndPlan(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + config, "config", registry);
  auto& configuration = std::get<config::PlannedConfiguration>(planned);
  api::Manifests manifests = api::ParseManifests(api::ReadDocuments(yaml, "test").value()).value();
  SchedulerSetup setup;
  setup.config = configuration.loaded.config;
  setup.plans = configuration.plans;
  setup.registry = framework::Borrowed(registry);
  setup.seed = seed;
  return PlacePendingPods(DescribedObjects::From(std::move(manifests), setup.plans), setup).value();
}

// "a@n1 b@n2 -c !d": placed, pending and evicted pods, without their namespace.
std::string Summary(const PlacementReport& report) {
  const auto bare = [](const std::string& key) { return key.substr(key.find('/') + 1); };
  std::string text;
  for (const Placement& placement : report.placements) text += bare(placement.pod) + "@" + placement.node + " ";
  for (const StillPending& pod : report.pending) text += "-" + bare(pod.pod) + " ";
  for (const Eviction& eviction : report.evictions) text += "!" + bare(eviction.pod) + " ";
  for (const GatedPod& pod : report.gated) text += "?" + bare(pod.pod) + " ";
  return text;
}

struct Case {
  std::string name;
  std::string cluster;
  std::string summary;
};

class PlacementCases : public ::testing::TestWithParam<Case> {};

TEST_P(PlacementCases, Outcome) { EXPECT_EQ(Summary(Simulated(GetParam().cluster)), GetParam().summary); }

const std::string kNear =
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: "
    "{matchLabels: {app: x}}}]}}";

INSTANTIATE_TEST_SUITE_P(
    All, PlacementCases,
    ::testing::Values(
        Case{"EachSeesWhatTheFormerLeft",
             Node("a") + Node("b") + Pod("some", "1", "nodeName: b") + Pod("p", "3") + Pod("q", "3") + Pod("r", "3"),
             "p@a q@b -r "},
        Case{"ImportantPodsComeFirst", Node("a") + Pod("p", "3") + Pod("q", "3", "priority: 5"), "q@a -p "},
        Case{"OlderPodsComeFirst",
             Node("a") + Pod("p", "3", "", "creationTimestamp: '2026-01-02T00:00:00Z'") +
                 Pod("q", "3", "", "creationTimestamp: '2026-01-01T00:00:00Z'"),
             "q@a -p "},
        Case{"GatedPodsAreLeftOut", Node("a") + Pod("p", "1", "schedulingGates: [{name: g}]"), "?p "},
        Case{"VictimsGoAndThePodGetsTheirNode",
             Node("a") + Node("b") + Pod("low", "3", "nodeName: a") + Pod("high", "3", "nodeName: b, priority: 9") +
                 Pod("p", "2", "priority: 5"),
             "p@a !low "},
        Case{"AVictimOfTheSameRunStaysPending",
             // "early" must wait for x; when it is retried, it evicts the pod that took its place meanwhile.
             Node("a") + Pod("early", "3", "priority: 9, " + kNear) + Pod("mid", "2", "priority: 5") +
                 Pod("x", "1", "priority: 9", "labels: {app: x}"),
             "x@a early@a -mid !mid "},
        Case{"AffinityToALaterPodIsTriedAgain",
             Node("a") + Pod("p", "1", kNear) + Pod("q", "1", "", "labels: {app: x}"), "q@a p@a "},
        Case{"NoNodes", Pod("p", "1"), "-p "}),
    [](const auto& tested) { return tested.param.name; });

TEST(PlacementRunTest, BudgetsAreUsedUp) {
  const std::string budget =
      "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {namespace: default, name: b}\n"
      "spec: {selector: {matchLabels: {app: kept}}}\nstatus: {disruptionsAllowed: 1}\n";
  // Both preemptors could take either kind of victim; the budget allows one disruption, so the second takes "free".
  const std::string cluster = Node("a") + Node("b") + Node("c") + budget +
                              Pod("kept-1", "3", "nodeName: a, priority: 1", "labels: {app: kept}") +
                              Pod("kept-2", "3", "nodeName: b, priority: 1", "labels: {app: kept}") +
                              Pod("free", "3", "nodeName: c, priority: 2") + Pod("p", "3", "priority: 5") +
                              Pod("q", "3", "priority: 5");
  const PlacementReport report = Simulated(cluster);
  ASSERT_EQ(report.evictions.size(), 2U);
  EXPECT_TRUE(report.evictions[0].pod.starts_with("default/kept")) << report.evictions[0].pod;
  EXPECT_EQ(report.evictions[1].pod, "default/free");
  EXPECT_EQ(report.placements[0].evicted, std::vector<std::string>({report.evictions[0].pod}));
}

TEST(PlacementRunTest, PendingPodsCarryTheEventAndTheRejectors) {
  const PlacementReport report = Simulated(Node("a") + Pod("p", "5"));
  ASSERT_EQ(report.pending.size(), 1U);
  EXPECT_TRUE(report.pending[0].message.starts_with("0/1 nodes are available: 1 Insufficient cpu."))
      << report.pending[0].message;
  EXPECT_EQ(report.pending[0].rejectors, std::vector<std::string>({"NodeResourcesFit"}));
}

TEST(PlacementRunTest, UtilisationIsToldBeforeAndAfter) {
  const PlacementReport report = Simulated(Node("a") + Node("b") + Pod("r", "1", "nodeName: a") + Pod("p", "2"));
  const ResourceUse& cpu = report.utilisation.total.front();
  EXPECT_EQ(cpu.resource, "cpu");
  EXPECT_EQ(cpu.allocatable, 8000);
  EXPECT_EQ(cpu.before, 1000);
  EXPECT_EQ(cpu.after, 3000);
  EXPECT_EQ(report.utilisation.total.back().resource, "pods");
  EXPECT_EQ(report.utilisation.total.back().after, 2);
  ASSERT_EQ(report.utilisation.nodes.size(), 2U);
  EXPECT_EQ(report.utilisation.nodes[1].node, "b");
  EXPECT_EQ(report.utilisation.nodes[1].resources[0].after, 2000);
}

TEST(PlacementRunTest, SeedsDecideBetweenEquals) {
  std::string cluster = Pod("p", "1");
  for (int i = 0; i < 8; ++i) cluster += Node("n" + std::to_string(i));
  std::set<std::string> nodes;
  const framework::Registry registry = plugins::InTreeRegistry();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const PlacementReport first = Simulated(cluster, registry, "", seed);
    const PlacementReport second = Simulated(cluster, registry, "", seed);
    EXPECT_EQ(first.placements[0].node, second.placements[0].node);
    EXPECT_EQ(first.placements[0].feasible, 8U);
    nodes.insert(first.placements[0].node);
  }
  EXPECT_GT(nodes.size(), 1U);
}

TEST(PlacementRunTest, EveryProfilePlacesItsOwn) {
  const PlacementReport report = Simulated(
      Node("a") + Node("b") + Pod("r", "1", "nodeName: a") + Pod("p", "1", "schedulerName: packer") + Pod("q", "1"),
      plugins::InTreeRegistry(),
      "profiles:\n- schedulerName: default-scheduler\n- schedulerName: packer\n  pluginConfig:\n"
      "  - name: NodeResourcesFit\n    args: {scoringStrategy: {type: MostAllocated}}\n");
  EXPECT_EQ(Summary(report), "p@a q@b ");
  EXPECT_EQ(report.placements[0].profile, "packer");
}

// Rejects a pod at Reserve or holds it at Permit, by the pod's labels.
class Moody final : public framework::ReservePlugin, public framework::PermitPlugin {
 public:
  explicit Moody(const framework::PluginArgs*, framework::Handle& handle) : handle_(handle) {}

  framework::Status Reserve(framework::CycleState&, const framework::PodInfo& pod, std::string_view) override {
    return pod->meta.labels.Has("refuse") ? framework::Status::Unschedulable("not today")
                                          : framework::Status::Success();
  }
  void Unreserve(framework::CycleState&, const framework::PodInfo&, std::string_view) override {}

  framework::PermitResult Permit(framework::CycleState&, const framework::PodInfo& pod, std::string_view) override {
    if (pod->meta.labels.Has("wait")) return {framework::Status::Wait(), std::chrono::hours(1)};
    if (pod->meta.labels.Has("release")) {
      handle_.waiting_pods().ForEach([](framework::WaitingPod& waiting) { waiting.Allow("Moody"); });
    }
    return {framework::Status::Success(), {}};
  }

 private:
  framework::Handle& handle_;
};

TEST(PlacementRunTest, ReserveAndPermitHaveTheirSay) {
  framework::Registry registry = plugins::InTreeRegistry();
  ASSERT_TRUE(registry.Add(framework::Entry<Moody>("Moody")));
  const std::string config = "profiles:\n- plugins: {multiPoint: {enabled: [{name: Moody}]}}\n";
  const std::string pods = Node("a") + Pod("refused", "1", "", "labels: {refuse: x}") +
                           Pod("held", "2", "", "labels: {wait: x}") + Pod("large", "3");

  const PlacementReport held = Simulated(pods, registry, config);
  EXPECT_EQ(Summary(held), "large@a -refused -held ") << "room that is given back goes to others";
  EXPECT_EQ(held.pending[0].message, "0/1 nodes are available: 1 not today.");
  EXPECT_EQ(held.pending[0].rejectors, std::vector<std::string>({"Moody"}));
  EXPECT_TRUE(held.pending[1].message.starts_with("0/1 nodes are available: 1 Insufficient cpu."));

  const PlacementReport released = Simulated(pods + Pod("releaser", "1", "", "labels: {release: x}"), registry, config);
  EXPECT_EQ(Summary(released), "releaser@a held@a -refused -large ");
}

TEST(PlacementRunTest, APodThatPermitHoldsToTheEndHoldsNoRoom) {
  framework::Registry registry = plugins::InTreeRegistry();
  ASSERT_TRUE(registry.Add(framework::Entry<Moody>("Moody")));
  const PlacementReport report = Simulated(Node("a") + Pod("held", "2", "", "labels: {wait: x}"), registry,
                                           "profiles:\n- plugins: {multiPoint: {enabled: [{name: Moody}]}}\n");
  EXPECT_EQ(Summary(report), "-held ");
  EXPECT_EQ(report.pending[0].message,
            "0/1 nodes are available: 1 rejected due to timeout after waiting 15m0s at plugin Moody.");
  EXPECT_EQ(report.pending[0].rejectors, std::vector<std::string>({"Moody"}));
  EXPECT_EQ(report.utilisation.total.front().after, 0);
}

// Asks in PreBind for a change that can never be made, and does not mind the answer.
class Clumsy final : public framework::PreBindPlugin {
 public:
  framework::PreFlightResult PreBindPreFlight(framework::CycleState&, const framework::PodInfo&,
                                              std::string_view) override {
    return {framework::Status::Success()};
  }
  framework::BindingProgress PreBind(framework::CycleState&, const framework::PodInfo& pod, std::string_view,
                                     const framework::Wake& wake, framework::BindingWork& work) override {
    if (wake.reason == framework::Wake::Reason::Answer) {
      return framework::BindingProgress::Done(framework::Status::Success());
    }
    work.Patch({{"Pod", pod->meta.namespace_, pod->meta.name}, "", "", "this is no patch"});
    return framework::BindingProgress::Wait();
  }
};

TEST(PlacementRunTest, WhatTheSchedulerCouldNotDoIsReported) {
  framework::Registry registry = plugins::InTreeRegistry();
  ASSERT_TRUE(registry.Add(framework::Entry<Clumsy>("Clumsy")));
  const PlacementReport report = Simulated(Node("a") + Pod("p", "1") + Pod("q", "1"), registry,
                                           "profiles:\n- plugins: {multiPoint: {enabled: [{name: Clumsy}]}}\n");
  EXPECT_EQ(Summary(report), "p@a q@a ");
  ASSERT_EQ(report.problems.size(), 1U) << "twice the same";
  EXPECT_TRUE(report.problems.front().starts_with(R"(Command was refused command="patch" object="Pod default/p")"))
      << report.problems.front();
  EXPECT_TRUE(report.problems.front().ends_with("(2 times)"));
  EXPECT_NE(ReportText(report, text::Style{}).find("PROBLEMS"), std::string::npos);
  EXPECT_NE(ReportDocument(report).Find("problems"), nullptr);
  EXPECT_EQ(ReportDocument(Simulated(Node("a") + Pod("p", "1"))).Find("problems"), nullptr);
}

TEST(PlacementRunTest, APreemptorIsTriedAgainOnceItsVictimsAreGone) {
  const PlacementReport report =
      Simulated(Node("a") + Pod("low", "3", "nodeName: a") + Pod("p", "2", "priority: 5") + Pod("q", "1"));
  EXPECT_EQ(Summary(report), "q@a p@a !low ") << "its room is kept for it while others are placed";
  EXPECT_EQ(report.placements[1].attempts, 2U);
  EXPECT_EQ(report.placements[1].evicted, std::vector<std::string>({"default/low"}));
  EXPECT_EQ(report.evictions[0].preemptor, "default/p");
}

TEST(PlacementRunTest, ClaimsThatWaitForAPodGetTheirVolumes) {
  const std::string claimed = "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]";
  const std::string claim =
      "---\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec: {storageClassName: s, accessModes: "
      "[ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
  const std::string storage_class =
      "---\nkind: StorageClass\nmetadata: {name: s}\nvolumeBindingMode: WaitForFirstConsumer\nprovisioner: ";
  const std::string cluster = Node("n1") + Pod("a", "1", claimed) + claim + storage_class;
  EXPECT_EQ(Summary(Simulated(cluster + "csi.example.com\n")), "a@n1 ");
  EXPECT_EQ(Summary(Simulated(cluster + "kubernetes.io/no-provisioner\n")), "-a ");
}

TEST(ReportTest, TableWithoutColourHoldsNoEscapes) {
  const PlacementReport report = Simulated(Node("a") + Pod("p", "1") + Pod("q", "5"));
  const std::string text = ReportText(report, {});
  EXPECT_TRUE(
      text.starts_with("PLACED (1)\n  POD        NODE\n  default/p  a\n\nPENDING (1)\n  default/q\n    0/1 nodes"))
      << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const std::string wide = ReportText(report, {text::Painter(true), 100, true});
  EXPECT_NE(wide.find("REQUESTED BY NODE"), std::string::npos) << wide;
  EXPECT_NE(wide.find('\x1b'), std::string::npos);
}

TEST(ReportTest, DocumentNamesItself) {
  const api::Value document = ReportDocument(Simulated(Node("a") + Pod("p", "1")));
  EXPECT_EQ(document.Find("apiVersion")->text(), "berth/v1alpha1");
  EXPECT_EQ(document.Find("kind")->text(), "SimulationReport");
  EXPECT_EQ(document.Find("summary")->Find("placed")->text(), "1");
}

}  // namespace
}  // namespace berth::simulator
