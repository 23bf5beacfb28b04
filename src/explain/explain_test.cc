// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.h"

#include "api/document.h"
#include "api/manifest.h"
#include "config/load.h"
#include "config/plan.h"
#include "explain/explanation_document.h"
#include "explain/explanation_text.h"
#include "plugins/registry.h"

#include <gtest/gtest.h>

namespace berth::explain {
namespace {

// A node of 4 cpu, 8Gi and 10 pods.
std::string Node(const std::string& name, const std::string& labels = "", const std::string& spec = "") {
  return "---\nkind: Node\nmetadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + name +
         (labels.empty() ? "" : ", " + labels) + "}}\nspec: {" + spec +
         "}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n";
}

std::string Pod(const std::string& name, const std::string& cpu, const std::string& spec = "",
                const std::string& meta = "") {
  return "---\nkind: Pod\nmetadata: {namespace: default, uid: " + name + ", name: " + name +
         (meta.empty() ? "" : ", " + meta) + "}\nspec: {" + (spec.empty() ? "" : spec + ", ") +
         "containers: [{name: c, resources: {requests: {cpu: " + cpu + "}}}]}\n";
}

// The cluster of one test; the pod to explain is called "asked".
class ClusterToExplain {
 public:
  explicit ClusterToExplain(const std::string& yaml) : cluster_(names_) {
    auto manifests = api::ParseManifests(api::ReadDocuments(yaml, "test").value()).value();
    for (const api::Manifest& manifest : manifests.objects) {
      if (const auto* node = std::get_if<api::NodePtr>(&manifest.object)) {
        cluster_.SetNode(*node);
      } else if (const auto* pod = std::get_if<api::PodPtr>(&manifest.object)) {
        const auto info = framework::MakePodInfo(*pod, names_);
        if ((*pod)->meta.name == "asked") asked_ = info;
        if (!(*pod)->node_name.empty()) cluster_.PlacePod(info, (*pod)->node_name);
        if (!(*pod)->status->nominated_node_name.empty()) {
          nominations_.Add(info, (*pod)->status->nominated_node_name);
        }
      } else {
        cluster_.SetObject(manifest.object);
      }
    }
  }

  Explanation Ask() {
    const framework::Registry registry = plugins::InTreeRegistry();
    const auto plans = config::PlanProfiles(config::DefaultConfiguration(registry), registry).value();
    const std::string before = cluster_.Describe();
    Explanation explanation = Explain({cluster_, nominations_, plans.front(), registry, clock_}, asked_).value();
    EXPECT_EQ(cluster_.Describe(), before) << "explaining must not change anything";
    return explanation;
  }

 private:
  framework::ResourceNames names_;
  cluster::ClusterState cluster_;
  queue::NominatedPods nominations_;
  ManualClock clock_;
  framework::PodInfoPtr asked_;
};

std::string FunnelText(const Explanation& explanation) {
  std::string text;
  for (const FunnelStep& step : explanation.funnel) {
    if (step.rejected != 0) text += step.plugin + ":" + std::to_string(step.rejected) + " ";
  }
  return text + "left:" + std::to_string(explanation.funnel.empty() ? 0 : explanation.funnel.back().left);
}

// The nodes with the plugins that rejected them, closest first.
std::string RejectedText(const Explanation& explanation) {
  std::string text;
  for (const RejectedNode& node : explanation.rejected) {
    text += node.name + "(";
    for (const Objection& objection : node.objections)
      text += objection.plugin + (&objection == &node.objections.back() ? "" : " ");
    text += ") ";
  }
  return text;
}

struct Case {
  std::string name;
  std::string cluster;
  std::string chosen;  // empty when the pod fits nowhere
  std::string funnel;
  std::string rejected;
  std::vector<std::string> would_help;
};

class ExplainCases : public ::testing::TestWithParam<Case> {};

TEST_P(ExplainCases, Answer) {
  const Case& test = GetParam();
  const Explanation explanation = ClusterToExplain(test.cluster).Ask();
  EXPECT_EQ(explanation.chosen, test.chosen);
  EXPECT_EQ(explanation.outcome == Explanation::Outcome::Placed, !test.chosen.empty());
  EXPECT_EQ(explanation.message.empty(), !test.chosen.empty());
  EXPECT_EQ(FunnelText(explanation), test.funnel);
  EXPECT_EQ(RejectedText(explanation), test.rejected);
  EXPECT_EQ(explanation.would_help, test.would_help);
}

INSTANTIATE_TEST_SUITE_P(
    All, ExplainCases,
    ::testing::Values(
        Case{"EveryFailingPluginIsNamed",
             Node("a", "", "unschedulable: true, taints: [{key: k, value: v, effect: NoSchedule}]") + Node("b") +
                 Pod("fill", "3", "nodeName: b") + Pod("asked", "2"),
             "",
             "NodeUnschedulable:1 NodeResourcesFit:1 left:0",
             "b(NodeResourcesFit) a(NodeUnschedulable TaintToleration) ",
             {"request cpu 1: fits b", "one more node like b"}},
        Case{"ShortestOfShortNodesIsClosest",
             Node("a") + Node("b") + Pod("fill-a", "3", "nodeName: a") + Pod("fill-b", "2500m", "nodeName: b") +
                 Pod("asked", "2"),
             "",
             "NodeResourcesFit:2 left:0",
             "b(NodeResourcesFit) a(NodeResourcesFit) ",
             {"request cpu 1500m: fits b", "one more node like b"}},
        Case{"LargerThanAnyNode",
             Node("a") + Pod("asked", "6"),
             "",
             "NodeResourcesFit:1 left:0",
             "a(NodeResourcesFit) ",
             {"request cpu 4: fits a", "a node with cpu 6 (the largest has 4)"}},
        Case{"TaintIsTheOnlyBlocker",
             Node("a", "", "taints: [{key: gpu, effect: NoSchedule}]") + Pod("asked", "1"),
             "",
             "TaintToleration:1 left:0",
             "a(TaintToleration) ",
             {"tolerate gpu:NoSchedule: fits a"}},
        Case{"CordonIsTheOnlyBlocker",
             Node("a", "", "unschedulable: true") + Pod("asked", "1"),
             "",
             "NodeUnschedulable:1 left:0",
             "a(NodeUnschedulable) ",
             {"uncordon a"}},
        Case{"SelectorIsTheOnlyBlocker",
             Node("a", "pool: web") + Pod("asked", "1", "nodeSelector: {pool: gpu}"),
             "",
             "NodeAffinity:1 left:0",
             "a(NodeAffinity) ",
             {"without what NodeAffinity objects to: fits a"}},
        Case{"PreFilterLeavesOneNode",
             Node("a") + Node("b") +
                 Pod("asked", "1",
                     "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                     "[{matchFields: [{key: metadata.name, operator: In, values: [b]}]}]}}}"),
             "b",
             "NodeAffinity:1 left:1",
             "a(NodeAffinity) ",
             {}},
        Case{
            "PreFilterSpeaksForAllNodes",
            Node("a") + Node("b") + Pod("asked", "1", "volumes: [{name: v, persistentVolumeClaim: {claimName: gone}}]"),
            "",
            "VolumeRestrictions:2 left:0",
            "",
            {}},
        Case{"NominatedPodsCount",
             Node("a") + Node("b") + Pod("fill", "3", "nodeName: b") + Pod("promised", "3", "priority: 9") +
                 "status: {nominatedNodeName: a}\n" + Pod("asked", "2"),
             "",
             "NodeResourcesFit:2 left:0",
             "a(NodeResourcesFit) b(NodeResourcesFit) ",
             {"request cpu 1: fits b", "one more node like b"}},
        Case{"RunningPodIsTakenOffFirst", Node("a") + Pod("asked", "3", "nodeName: a"), "a", "left:1", "", {}}),
    [](const auto& tested) { return tested.param.name; });

TEST(ExplainTest, ShortfallsSayHowMuchIsMissing) {
  const Explanation explanation =
      ClusterToExplain(Node("a") + Pod("fill", "2500m", "nodeName: a") + Pod("asked", "2")).Ask();
  ASSERT_EQ(explanation.rejected.size(), 1U);
  ASSERT_EQ(explanation.rejected[0].shortfalls.size(), 1U);
  EXPECT_EQ(explanation.rejected[0].shortfalls[0].missing(), 500);
  EXPECT_EQ(explanation.rejected[0].objections[0].lacks,
            std::vector<std::string>({"short of 500m cpu (needs 2, free 1500m)"}));
}

TEST(ExplainTest, ScorePartsAddUpAndNameTheDifference) {
  const Explanation explanation =
      ClusterToExplain(Node("a") + Node("b") + Pod("fill", "2", "nodeName: a") + Pod("asked", "1")).Ask();
  ASSERT_EQ(explanation.feasible.size(), 2U);
  for (const ScoredNode& node : explanation.feasible) {
    int64_t sum = 0;
    for (const ScorePart& part : node.parts) sum += part.weighted;
    EXPECT_EQ(sum, node.total) << node.name;
  }
  ASSERT_TRUE(explanation.runner_up);
  EXPECT_EQ(explanation.runner_up->winner, "b");
  EXPECT_EQ(explanation.runner_up->other, "a");
  EXPECT_EQ(explanation.runner_up->margin, explanation.feasible[0].total - explanation.feasible[1].total);
  ASSERT_FALSE(explanation.runner_up->differences.empty());
  EXPECT_GT(explanation.runner_up->differences[0].second, 0);
}

TEST(ExplainTest, PreemptionNamesVictimsAndBrokenBudgets) {
  const std::string budget =
      "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {namespace: default, name: careful}\n"
      "spec: {selector: {matchLabels: {app: kept}}}\nstatus: {disruptionsAllowed: 0}\n";
  const Explanation explanation =
      ClusterToExplain(Node("a") + Node("b") + budget + Pod("kept", "3", "nodeName: a", "labels: {app: kept}") +
                       Pod("free", "3", "nodeName: b, priority: 5") + Pod("asked", "2", "priority: 10"))
          .Ask();
  ASSERT_TRUE(explanation.preemption);
  const std::vector<PreemptionOption>& options = explanation.preemption->options;
  ASSERT_EQ(options.size(), 2U);
  EXPECT_EQ(options[0].node, "b");
  EXPECT_TRUE(options[0].best);
  EXPECT_EQ(options[0].victims[0].pod, "default/free");
  EXPECT_EQ(options[0].victims[0].priority, 5);
  EXPECT_EQ(options[1].node, "a");
  EXPECT_FALSE(options[1].best);
  EXPECT_EQ(options[1].budget_violations, 1);
  EXPECT_EQ(options[1].broken_budgets, std::vector<std::string>({"default/careful"}));
}

TEST(ExplainTest, PreemptionMayBeForbidden) {
  const Explanation explanation = ClusterToExplain(Node("a") + Pod("low", "3", "nodeName: a") +
                                                   Pod("asked", "2", "priority: 10, preemptionPolicy: Never"))
                                      .Ask();
  ASSERT_TRUE(explanation.preemption);
  EXPECT_EQ(explanation.preemption->forbidden, "not eligible due to preemptionPolicy=Never.");
  EXPECT_NE(explanation.message.find("preemption: not eligible"), std::string::npos) << explanation.message;
}

TEST(ExplainTest, GateIsReportedAndThePodStillJudged) {
  const Explanation explanation =
      ClusterToExplain(Node("a") + Pod("asked", "1", "schedulingGates: [{name: quota}]")).Ask();
  EXPECT_EQ(explanation.gated_by, "SchedulingGates");
  EXPECT_EQ(explanation.chosen, "a");
}

TEST(ExplainTest, NoNodesAtAll) {
  const Explanation explanation = ClusterToExplain(Pod("asked", "1")).Ask();
  EXPECT_EQ(explanation.outcome, Explanation::Outcome::Unschedulable);
  EXPECT_EQ(explanation.message, "no nodes available to schedule pods");
  EXPECT_NE(ExplanationText(explanation, {}).find("PENDING"), std::string::npos);
}

TEST(ExplainTest, TextIsOneScreenWithoutEscapes) {
  const Explanation explanation =
      ClusterToExplain(Node("a") + Pod("fill", "3", "nodeName: a") + Pod("asked", "2")).Ask();
  const std::string text = ExplanationText(explanation, {});
  EXPECT_EQ(text.substr(0, text.find("Event")), R"(PENDING  pod default/asked, profile default-scheduler
Needs       cpu 2; priority 0
Nodes       1 node ─ 1 NodeResourcesFit ─▶ 0 left
            REJECTED BY       NODES  REASON
            NodeResourcesFit      1  Insufficient cpu
Closest     a: short of 1 cpu (needs 2, free 1) (only blocker)
Would help  ▸ request cpu 1: fits a
            ▸ one more node like a
Preemption  no: no node would take the pod after evicting pods of lower priority
)");
  EXPECT_NE(text.find("Event       0/1 nodes are available: 1 Insufficient cpu."), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(ExplanationText(explanation, {text::Painter(true), 100, false}).find("\x1b[31mPENDING\x1b[0m"),
            std::string::npos);
}

TEST(ExplainTest, OneNodeIsAnsweredInFull) {
  const Explanation explanation =
      ClusterToExplain(Node("a", "", "taints: [{key: k, effect: NoSchedule}]") + Node("b") + Node("c") +
                       Pod("fill", "3", "nodeName: a") + Pod("fill-b", "1", "nodeName: b") + Pod("asked", "2"))
          .Ask();
  const std::string rejected = NodeAnswerText(explanation, "a", {});
  EXPECT_NE(rejected.find("DOES NOT FIT"), std::string::npos) << rejected;
  EXPECT_NE(rejected.find("TaintToleration: node(s) had untolerated taint(s) (taint k:NoSchedule)"), std::string::npos);
  EXPECT_NE(rejected.find("NodeResourcesFit: Insufficient cpu"), std::string::npos) << rejected;
  const std::string feasible = NodeAnswerText(explanation, "b", {});
  EXPECT_NE(feasible.find("FITS"), std::string::npos) << feasible;
  EXPECT_NE(feasible.find("rank 2 of 2"), std::string::npos) << feasible;
  EXPECT_FALSE(ExplanationDocument(explanation, "a").Find("asked")->Find("fits")->bool_value());
  EXPECT_TRUE(ExplanationDocument(explanation, "b").Find("asked")->Find("fits")->bool_value());
}

}  // namespace
}  // namespace berth::explain
