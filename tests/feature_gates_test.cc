// SPDX-License-Identifier: Apache-2.0
// What feature gates change about decisions, and that plugins can log.
#include "features/feature_gates.h"

#include "log/output.h"
#include "plugins/registry.h"
#include "scheduler/decide.h"
#include "support/builders.h"
#include "support/test_bed.h"

#include <sstream>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using features::FeatureGates;
using scheduler::Decision;

FeatureGates With(const std::map<std::string, bool>& values, features::Version emulated = features::kOwnVersion) {
  return FeatureGates::FromMap(values, emulated).value();
}

// A cluster judged by all in-tree plugins under some gates.
class GatedTestBed {
 public:
  explicit GatedTestBed(const FeatureGates& gates) : rules_(framework::PodRules::From(gates)) {
    const framework::Registry registry = plugins::InTreeRegistry();
    std::vector<config::ProfilePlan> plans = PlansOf("", registry);
    plans.front().features = gates;
    bed_.AddProfile(std::move(plans.front()), registry);
  }

  GatedTestBed& Add(const api::Object& object) {
    bed_.Add(object);
    return *this;
  }
  // Where the pod goes, or why it goes nowhere.
  std::string Decide(const PodBuilder& pod) {
    const framework::PodInfoPtr info = framework::MakePodInfo(pod.Build(), bed_.names, rules_);
    const Decision decision = scheduler::Decide(bed_.profile(), *info, cycle_, rng_);
    return decision.outcome == Decision::Outcome::Placed ? bed_.cluster.node(decision.node).node->meta.name
                                                         : decision.message;
  }

 private:
  TestBed bed_;
  framework::PodRules rules_;
  runtime::Cycle cycle_;
  Rng rng_{1};
};

NodeBuilder Roomy(std::string_view name) { return MakeNode(name).Allocatable("cpu", "4").Allocatable("memory", "8Gi"); }

TEST(FeatureGatesOfPlugins, TolerationsCompareOnlyIfTheyMay) {
  PodBuilder pod = MakePod("p");
  pod.spec().tolerations = {{"load", "Lt", "80", api::TaintEffect::NoSchedule}};
  const FeatureGates on = With({{"TaintTolerationComparisonOperators", true}});
  const auto tainted = [](std::string_view value) {
    return Roomy("n").Taint("load", value, api::TaintEffect::NoSchedule).Build();
  };
  EXPECT_EQ(GatedTestBed(on).Add(tainted("70")).Decide(pod), "n");
  const std::string refused = "0/1 nodes are available: 1 node(s) had untolerated taint(s).";
  EXPECT_EQ(GatedTestBed(on).Add(tainted("80")).Decide(pod).substr(0, refused.size()), refused);
  EXPECT_EQ(GatedTestBed(on).Add(tainted("070")).Decide(pod).substr(0, refused.size()), refused) << "no such number";
  EXPECT_EQ(GatedTestBed({}).Add(tainted("70")).Decide(pod).substr(0, refused.size()), refused);

  pod.spec().tolerations = {{"load", "Gt", "-1", api::TaintEffect::None}};
  EXPECT_EQ(GatedTestBed(on).Add(tainted("0")).Decide(pod), "n");
  EXPECT_EQ(GatedTestBed(on).Add(tainted("-1")).Decide(pod).substr(0, refused.size()), refused);
}

TEST(FeatureGatesOfPlugins, SpreadingHonorsTolerationsThatCompare) {
  const auto bed = [](const FeatureGates& gates) {
    GatedTestBed made(gates);
    made.Add(Roomy("full").Label("zone", "a").Build())
        .Add(MakePod("other").Label("app", "web").Node("full").Build())
        .Add(Roomy("hot").Label("zone", "b").Taint("load", "70", api::TaintEffect::NoSchedule).Unschedulable().Build());
    return made.Decide([] {
      PodBuilder pod = MakePod("p").Label("app", "web").Spread("app", "web", "zone", 1);
      pod.spec().topology_spread_constraints[0].node_taints_policy = api::InclusionPolicy::Honor;
      pod.spec().tolerations = {{"load", "Lt", "80", api::TaintEffect::None}};
      return pod;
    }());
  };
  EXPECT_EQ(bed({}), "full") << "the other zone is closed to the pod and does not count";
  EXPECT_NE(bed(With({{"TaintTolerationComparisonOperators", true}})), "full") << "it counts, and is empty";
}

TEST(FeatureGatesOfPlugins, SpreadingIgnoresMatchLabelKeysWithoutTheirGate) {
  const auto decide = [](const FeatureGates& gates) {
    GatedTestBed bed(gates);
    bed.Add(Roomy("a").Label("zone", "a").Build())
        .Add(Roomy("b").Label("zone", "b").Unschedulable().Build())
        .Add(MakePod("old").Label("app", "web").Label("version", "1").Node("a").Build());
    PodBuilder pod = MakePod("p").Label("app", "web").Label("version", "2").Spread("app", "web", "zone", 1);
    pod.spec().topology_spread_constraints[0].match_label_keys = {"version"};
    return bed.Decide(pod);
  };
  EXPECT_EQ(decide({}), "a") << "pods of another version do not count";
  const std::string refusal = decide(
      With({{"MatchLabelKeysInPodTopologySpread", false}, {"MatchLabelKeysInPodTopologySpreadSelectorMerge", false}}));
  EXPECT_NE(refusal.find("didn't match pod topology spread constraints"), std::string::npos) << refusal;
}

TEST(FeatureGatesOfPlugins, NodeDeclaredFeaturesDoesNothingWithoutItsGate) {
  PodBuilder pod = MakePod("p");
  pod.spec().containers[0].restarts_all_containers = true;
  const std::string refusal = GatedTestBed({}).Add(Roomy("n").Build()).Decide(pod);
  EXPECT_NE(refusal.find("didn't match Pod's required features"), std::string::npos) << refusal;
  EXPECT_EQ(GatedTestBed(With({}, {1, 35})).Add(Roomy("n").Build()).Decide(pod), "n");
}

TEST(FeatureGatesOfPlugins, ClaimsAreIgnoredWithoutDynamicResourceAllocation) {
  PodBuilder pod = MakePod("p");
  pod.spec().resource_claims = {"gpu"};
  EXPECT_NE(GatedTestBed({}).Add(Roomy("n").Build()).Decide(pod), "n");
  EXPECT_EQ(GatedTestBed(With({}, {1, 33})).Add(Roomy("n").Build()).Decide(pod), "n");
}

TEST(FeatureGatesOfPlugins, PreemptionHoldsNobodyBackUnlessItRunsInTheBackground) {
  for (const bool in_background : {true, false}) {
    const framework::Registry registry = plugins::InTreeRegistry();
    std::vector<config::ProfilePlan> plans = PlansOf("", registry);
    plans.front().features = With({{"SchedulerAsyncPreemption", in_background}});
    TestBed bed;
    bed.AddProfile(std::move(plans.front()), registry);
    const api::PodPtr pod = MakePod("p").Build();
    bed.roles.preempting = pod->meta.uid;
    const framework::PluginInstance* plugin = bed.profile().plugins().Find("DefaultPreemption");
    EXPECT_EQ(plugin->pre_enqueue->PreEnqueue(*pod).ok(), !in_background);
    EXPECT_EQ(plugin->enqueue_extensions->EventsToRegister().size(), in_background ? 1U : 0U);
  }
}

TEST(FeatureGatesOfPods, PodLevelResourcesCountOnlyWithTheirGate) {
  framework::ResourceNames names;
  const PodBuilder pod = MakePod("p").Request("cpu", "1").PodLevel({{"cpu", "3"}});
  const auto cpu = [&](const FeatureGates& gates) {
    return framework::MakePodInfo(pod.Build(), names, framework::PodRules::From(gates))->traits->spec_requests.cpu;
  };
  EXPECT_EQ(cpu({}), 3000);
  EXPECT_EQ(cpu(With({{"PodLevelResources", false}, {"InPlacePodLevelResourcesVerticalScaling", false}})), 1000);
}

TEST(FeatureGatesOfPods, ResizesCountOnlyWithTheirGates) {
  framework::ResourceNames names;
  const PodBuilder pod = MakePod("p").Request("cpu", "1").InForce({{"cpu", "2"}}).Granted({{"cpu", "2"}});
  const auto cpu = [&](const FeatureGates& gates, const PodBuilder& of) {
    return framework::MakePodInfo(of.Build(), names, framework::PodRules::From(gates))->traits->requests.cpu;
  };
  EXPECT_EQ(cpu({}, pod), 2000);
  EXPECT_EQ(cpu(With({{"InPlacePodVerticalScaling", false}}, {1, 34}), pod), 1000);

  PodBuilder whole = MakePod("q").PodLevel({{"cpu", "1"}});
  whole.status().resources.emplace().requests = Resources({{"cpu", "2"}});
  whole.status().allocated_resources = Resources({{"cpu", "2"}});
  EXPECT_EQ(cpu({}, whole), 2000);
  EXPECT_EQ(cpu(With({{"InPlacePodLevelResourcesVerticalScaling", false}}), whole), 1000);
}

// Says something whenever it is asked.
class Talkative final : public framework::FilterPlugin {
 public:
  explicit Talkative(const framework::Handle& handle) : log_(handle.log().Named("Talkative")) {}
  framework::Status Filter(const framework::CycleState&, const framework::PodInfo& pod,
                           const framework::NodeInfo&) const override {
    log_.V(3).Info("Asked", {{"pod", log::ObjectName{pod->meta.namespace_, pod->meta.name}}});
    return {};
  }

 private:
  log::Logger log_;
};

TEST(LoggingOfPlugins, GoesThroughTheirHandle) {
  std::ostringstream said;
  const ManualClock clock;
  const log::Output output(said, clock, {log::Format::Text, 0, log::ParseModuleLevels("plugins/*=3").value(), 7});
  TestBed bed;
  runtime::Services services;
  services.cluster = &bed.cluster;
  services.nominator = &bed.nominated;
  services.log = log::Logger(output, "plugins");
  const framework::Registry registry({framework::Entry<Talkative>("Talkative")});
  const auto speaks = runtime::Profile::Build(PlanOf(registry), registry, services).value();
  services.log = {};
  const auto is_silent = runtime::Profile::Build(PlanOf(registry), registry, services).value();

  bed.Add(Roomy("n").Build());
  const framework::PodInfoPtr pod = bed.Info(MakePod("shop/p"));
  for (const runtime::Profile* profile : {speaks.get(), is_silent.get()}) {
    runtime::Cycle cycle;
    cycle.Reset();
    EXPECT_TRUE(profile->filtering().RunPreFilter(cycle, *pod).ok());
    EXPECT_TRUE(profile->filtering().RunFilterPluginsWithNominatedPods(cycle.state, *pod, bed.cluster.node(0)).ok());
  }
  EXPECT_EQ(said.str(), "I0101 00:00:00.000000       7 plugins/Talkative] \"Asked\" pod=\"shop/p\"\n");
}

}  // namespace
}  // namespace berth::test
