// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/plugin_check.h"

#include "conformance/case_cluster.h"
#include "plugin_check/check_cluster.h"
#include "plugin_check/random_objects.h"
#include "plugin_check/report_text.h"
#include "plugins/registry.h"

#include <atomic>
#include <functional>
#include <set>

#include <gtest/gtest.h>

namespace berth::plugin_check {
namespace {

using framework::Code;
using framework::CycleState;
using framework::ExtensionPoint;
using framework::IndexedCluster;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::PreFilterResult;
using framework::ScoreColumn;
using framework::Status;
using framework::Verdicts;

// A plan with this plugin at every point that it serves.
config::ProfilePlan PlanWith(const framework::PluginEntry& entry) {
  config::ProfilePlan plan;
  plan.scheduler_name = "tested";
  for (const ExtensionPoint point : framework::kExtensionPoints) {
    if (entry.points.Has(point)) plan.at(point).push_back({entry.name, 1});
  }
  return plan;
}

// What is found out about the plugin class P, asked about a random cluster.
template <typename P>
PluginReport Checked(uint64_t seed = 1) {
  const SystemClock clock;
  CheckCluster cluster(clock, {});
  for (const api::Object& object : RandomObjects({.nodes = 20, .pods = 10, .pods_per_node = 2, .seed = seed})) {
    cluster.Add(object);
  }
  const framework::Registry registry({framework::Entry<P>("Tested")});
  const auto profile = cluster.Build(PlanWith(registry.entries().front()), registry);
  PluginCheck check(*profile.value(), "Tested", cluster.cluster(), seed);
  const std::string before = cluster.cluster().Describe();
  for (const framework::PodInfoPtr& pod : cluster.pending()) check.Ask(*pod);
  EXPECT_EQ(cluster.cluster().Describe(), before) << "the cluster is as it was";
  return check.report();
}

std::set<std::string_view> RulesBroken(const PluginReport& report) {
  std::set<std::string_view> rules;
  for (const Finding& finding : report.findings) rules.insert(finding.rule);
  return rules;
}
using Rules = std::set<std::string_view>;

// Lets a node have as many pods as its name has letters, and follows hypothetical pods; prefers nodes with few. It
// counts at PreFilter, so that AddPod and RemovePod have something to do.
struct PodCounts final : framework::CloneableState<PodCounts> {
  std::vector<size_t> by_node;
};
constexpr framework::StateKey<PodCounts> kPodCounts{"Tested/PreFilter"};

struct Follows : framework::PreFilterPlugin, framework::FilterPlugin, framework::PreFilterExtensions {
  virtual ~Follows() = default;
  PreFilterResult PreFilter(CycleState& state, const PodInfo&, IndexedCluster& cluster) override {
    PodCounts& counts = state.Write(kPodCounts);
    counts.by_node.resize(cluster.node_slots());
    cluster.live_nodes().ForEach(
        [&](size_t id) { counts.by_node[id] = cluster.node(static_cast<NodeId>(id)).pods.size(); });
    return {};
  }
  Status Filter(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    return state.Read(kPodCounts)->by_node[node.id] < 2 ? Status::Success()
                                                        : Status::Unschedulable("node(s) were full");
  }
  Status AddPod(CycleState& state, const PodInfo&, const PodInfo&, const NodeInfo& node) const override {
    ++state.Mutable(kPodCounts)->by_node[node.id];
    return {};
  }
  Status RemovePod(CycleState& state, const PodInfo&, const PodInfo&, const NodeInfo& node) const override {
    --state.Mutable(kPodCounts)->by_node[node.id];
    return {};
  }
};
struct ForgetsToFollow final : Follows {
  Status RemovePod(CycleState&, const PodInfo&, const PodInfo&, const NodeInfo&) const override { return {}; }
};
struct FailsToFollow final : Follows {
  Status AddPod(CycleState&, const PodInfo&, const PodInfo&, const NodeInfo&) const override {
    return Status::FromError("no idea");
  }
};
// Looks its node up instead of judging the one that it is given.
struct LooksUp final : framework::FilterPlugin {
  explicit LooksUp(framework::Handle& handle) : cluster(&handle.cluster()) {}
  Status Filter(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    return cluster->node(node.id).pods.size() < 2 ? Status::Success() : Status::Unschedulable("node(s) were full");
  }
  const framework::ClusterView* cluster;
};

struct Fickle final : framework::FilterPlugin {
  Status Filter(const CycleState&, const PodInfo&, const NodeInfo&) const override {
    return ++asked % 3 == 0 ? Status::Unschedulable("node(s) were unlucky") : Status::Success();
  }
  mutable std::atomic<size_t> asked = 0;
};
struct Waits final : framework::FilterPlugin {
  Status Filter(const CycleState&, const PodInfo&, const NodeInfo&) const override { return Status::Wait(); }
};
struct Fails final : framework::FilterPlugin {
  Status Filter(const CycleState&, const PodInfo&, const NodeInfo&) const override {
    return Status::FromError("broken");
  }
};
struct NamesStrangers final : framework::PreFilterPlugin {
  PreFilterResult PreFilter(CycleState&, const PodInfo&, IndexedCluster&) override {
    return {Status::Success(), std::set<std::string>{"node-001", "nowhere"}};
  }
};
struct RejectsEveryOther : framework::FilterPlugin, framework::FilterAllPlugin {
  virtual ~RejectsEveryOther() = default;
  Status Filter(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    return node.id % 2 == 0 ? Status::Success() : Status::Unresolvable("node(s) were odd");
  }
  Status FilterAll(const CycleState&, const PodInfo&, const framework::ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const Verdicts::Id odd = verdicts.Intern(Status::Unresolvable("node(s) were odd"));
    cluster.live_nodes().ForEach([&](size_t id) {
      if (id % 2 == 1 && verdicts.Passes(static_cast<NodeId>(id))) verdicts.Reject(static_cast<NodeId>(id), odd);
    });
    return {};
  }
};
struct OtherColumns final : RejectsEveryOther {
  Status FilterAll(const CycleState&, const PodInfo&, const framework::ClusterView&, Verdicts&) const override {
    return {};
  }
};
struct JudgesAll final : RejectsEveryOther {
  Status FilterAll(const CycleState&, const PodInfo&, const framework::ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const Verdicts::Id odd = verdicts.Intern(Status::Unresolvable("node(s) were odd"));
    cluster.live_nodes().ForEach([&](size_t id) {
      if (id % 2 == 1) verdicts.Reject(static_cast<NodeId>(id), odd);
    });
    return {};
  }
};

struct Scores : framework::ScorePlugin {
  virtual ~Scores() = default;
  Result<int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    return static_cast<int64_t>(node.id);
  }
};
struct ScoresTooHigh final : framework::ScorePlugin {
  Result<int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    return 90 + static_cast<int64_t>(node.id);
  }
};
struct NormalizesToZero final : Scores, framework::NormalizeScorePlugin {
  Status NormalizeScore(const CycleState&, const PodInfo&, ScoreColumn& scores) const override {
    framework::TransformScores(scores, [](int64_t score) { return -score; });
    return {};
  }
};
struct ScoresByMood final : framework::ScorePlugin {
  Result<int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo&) const override {
    return static_cast<int64_t>(++asked % 100);
  }
  mutable std::atomic<size_t> asked = 0;
};
struct OtherScoreColumns final : Scores, framework::ScoreAllPlugin {
  Status ScoreAll(const CycleState&, const PodInfo&, const framework::ClusterView&,
                  ScoreColumn& scores) const override {
    scores.SetAll(7);
    return {};
  }
};
struct CannotScore final : framework::ScorePlugin {
  Result<int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo&) const override {
    return InvalidError("no scale");
  }
};

TEST(PluginCheck, WhoKeepsTheRulesIsLeftInPeace) {
  for (uint64_t seed = 1; seed < 6; ++seed) {
    const PluginReport report = Checked<Follows>(seed);
    EXPECT_EQ(RulesBroken(report), Rules()) << report.findings.front().example;
    EXPECT_GT(report.hypothetical_questions, 20U);
    EXPECT_GT(report.rejections.at("Unschedulable: node(s) were full"), 0U);
    EXPECT_EQ(RulesBroken(Checked<RejectsEveryOther>(seed)), Rules());
    EXPECT_EQ(RulesBroken(Checked<Scores>(seed)), Rules());
  }
}

TEST(PluginCheck, EveryRuleCanBeBroken) {
  EXPECT_EQ(RulesBroken(Checked<Fickle>()), (Rules{kSameAnswer, kHypotheticalPods}));
  EXPECT_EQ(RulesBroken(Checked<Waits>()), Rules{kCodesHaveMeaning});
  EXPECT_EQ(RulesBroken(Checked<Fails>()), Rules{kNothingFails});
  EXPECT_EQ(RulesBroken(Checked<NamesStrangers>()), Rules{kNodesExist});
  EXPECT_EQ(RulesBroken(Checked<OtherColumns>()), Rules{kFiltersAgree});
  EXPECT_EQ(RulesBroken(Checked<JudgesAll>()), Rules{kCandidatesOnly});
  EXPECT_EQ(RulesBroken(Checked<ForgetsToFollow>()), Rules{kHypotheticalPods});
  EXPECT_EQ(RulesBroken(Checked<LooksUp>()), Rules{kHypotheticalPods});
  EXPECT_EQ(RulesBroken(Checked<FailsToFollow>()), Rules{kNothingFails});
  EXPECT_EQ(RulesBroken(Checked<ScoresTooHigh>()), Rules{kScoresInRange});
  EXPECT_EQ(RulesBroken(Checked<NormalizesToZero>()), Rules{kScoresInRange});
  EXPECT_EQ(RulesBroken(Checked<ScoresByMood>()), Rules{kSameAnswer});
  EXPECT_EQ(RulesBroken(Checked<OtherScoreColumns>()), Rules{kScoresAgree});
  EXPECT_EQ(RulesBroken(Checked<CannotScore>()), Rules{kNothingFails});
}

TEST(PluginCheck, AFindingTellsWhatAboutWhatAndHowOften) {
  const PluginReport report = Checked<ScoresTooHigh>();
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].count, 10U * 9U) << "ten pods, nodes 11 to 19";
  EXPECT_NE(report.findings[0].example.find("101 for pod "), std::string::npos) << report.findings[0].example;
  EXPECT_NE(report.findings[0].example.find(" on node node-011"), std::string::npos) << report.findings[0].example;
  const std::string text = ReportText(std::span(&report, 1), {});
  EXPECT_NE(text.find("BROKEN  Tested: scores end in [0, 100], 90 times; the first time\n        101 for pod "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("90..109"), std::string::npos) << text;
  const PluginReport good = Checked<Scores>();
  EXPECT_NE(ReportText(std::span(&good, 1), {}).find("No finding: every rule was kept.\n"), std::string::npos);
}

TEST(PluginCheck, OnlyWhereThePluginIsEnabled) {
  const SystemClock clock;
  CheckCluster cluster(clock, {});
  for (const api::Object& object : RandomObjects({.nodes = 5, .pods = 3})) cluster.Add(object);
  const framework::Registry registry({framework::Entry<Follows>("Tested")});
  config::ProfilePlan plan = PlanWith(registry.entries().front());
  plan.at(ExtensionPoint::Filter).clear();
  const auto profile = cluster.Build(plan, registry);
  PluginCheck check(*profile.value(), "Tested", cluster.cluster(), 1);
  for (const framework::PodInfoPtr& pod : cluster.pending()) check.Ask(*pod);
  EXPECT_TRUE(check.report().rejections.empty());
  EXPECT_EQ(check.report().hypothetical_questions, 0U);
}

// What comes with Berth, but for two that follow hypothetical pods as loosely as kube-scheduler's do.
TEST(PluginCheck, InTreePluginsKeepTheRules) {
  const framework::Registry registry = plugins::InTreeRegistry();
  const std::vector<config::ProfilePlan> plans = *conformance::PlansFor(nullptr, registry);
  const SystemClock clock;
  for (uint64_t seed = 1; seed < 4; ++seed) {
    CheckCluster cluster(clock, {});
    for (const api::Object& object : RandomObjects({.nodes = 20, .pods = 20, .seed = seed})) cluster.Add(object);
    const config::ProfilePlan& plan = plans.front();
    for (const ExtensionPoint point : {ExtensionPoint::Filter, ExtensionPoint::Score}) {
      for (const config::PlannedPlugin& plugin : plan.at(point)) {
        const auto profile = cluster.Build(OnlyPlugin(plan, plugin.name), registry);
        PluginCheck check(*profile.value(), plugin.name, cluster.cluster(), seed);
        for (const framework::PodInfoPtr& pod : cluster.pending()) check.Ask(*pod);
        Rules broken = RulesBroken(check.report());
        if (plugin.name == "VolumeRestrictions" || plugin.name == "PodTopologySpread") broken.erase(kHypotheticalPods);
        EXPECT_EQ(broken, Rules()) << plugin.name << ", seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace berth::plugin_check
