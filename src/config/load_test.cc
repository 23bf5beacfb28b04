// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include "api/document.h"
#include "config/encode.h"
#include "config/fields/field_errors.h"
#include "config/plan.h"
#include "config/plugin_arguments.h"
#include "plugins/node_resources_fit/node_resources_fit_args.h"
#include "plugins/registry.h"

#include <gtest/gtest.h>

namespace berth::config {
namespace {

std::string V1(const std::string& rest) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + rest;
}

LoadedConfiguration Loaded(const std::string& text) {
  auto outcome = LoadConfiguration(text, "f", plugins::InTreeRegistry());
  if (const auto* problem = std::get_if<ConfigProblem>(&outcome)) {
    ADD_FAILURE() << problem->messages.front();
    return {};
  }
  return std::get<LoadedConfiguration>(std::move(outcome));
}

std::vector<std::string> Problems(const std::string& text, Stage stage) {
  const framework::Registry registry = plugins::InTreeRegistry();
  const auto outcome = LoadAndPlan(text, "f", registry);
  const auto* problem = std::get_if<ConfigProblem>(&outcome);
  if (problem == nullptr) return {};
  EXPECT_EQ(StageName(problem->stage), StageName(stage));
  return problem->messages;
}

TEST(Load, DecodeErrorsCarryLineAndPath) {
  struct Case {
    const char* rest;
    const char* want;
  };
  const Case cases[] = {
      {"parallelism: x\n", "f:3:14: parallelism: expected integer, found string"},
      {"leaderElection:\n  leaseDuration: soon\n", "f:4:18: leaderElection.leaseDuration: \"soon\" is no duration"},
      {"leaderElection:\n  leaseDuration: null\n", "f:4:18: leaderElection.leaseDuration: null is no duration"},
      {"profiles: {}\n", "f:3:11: profiles: expected list, found map"},
      {"clientConnection: {qps: fast}\n", "f:3:25: clientConnection.qps: expected number, found string"},
      {"extenders:\n- tlsConfig: {caData: '%'}\n", "f:4:23: extenders[0].tlsConfig.caData: is not base64"},
      {"profiles:\n- pluginConfig:\n  - name: VolumeBinding\n    args: [1]\n",
       "f:6:11: profiles[0].pluginConfig[0].args: must be a map, not a list"},
  };
  for (const Case& c : cases) {
    const std::vector<std::string> problems = Problems(V1(c.rest), Stage::Decode);
    ASSERT_EQ(problems.size(), 1U) << c.rest;
    EXPECT_EQ(problems.front().substr(0, std::string_view(c.want).size()), c.want);
  }
}

TEST(Load, TypeMustBeKnown) {
  for (const char* text : {"", "a", "kind: Pod\napiVersion: v1\n", "kind: Policy\napiVersion: v2\n", "[]", "null"}) {
    EXPECT_EQ(Problems(text, Stage::Decode).size(), 1U) << text;
  }
}

TEST(Load, ZeroMeansDefaultWhereUpstreamCannotTell) {
  const SchedulerConfiguration config =
      Loaded(V1("clientConnection: {qps: 0, burst: 0}\nleaderElection: {retryPeriod: 0s, resourceName: ''}\n")).config;
  EXPECT_EQ(config.client_connection.qps, 50);
  EXPECT_EQ(config.client_connection.burst, 100);
  EXPECT_EQ(config.leader_election.retry_period, std::chrono::seconds(2));
  EXPECT_EQ(config.leader_election.resource_name, "kube-scheduler");
  EXPECT_EQ(config.enable_contention_profiling, true);
  EXPECT_EQ(Loaded(V1("enableProfiling: false\n")).config.enable_contention_profiling, std::nullopt);
}

TEST(Load, EveryFieldSurvivesEncoding) {
  const std::string text = V1(R"(parallelism: 3
clientConnection: {kubeconfig: /k, acceptContentTypes: a, contentType: c, qps: 1.5, burst: 7}
delayCacheUntilActive: true
profiles:
- schedulerName: a
  percentageOfNodesToScore: 40
  plugins:
    filter: {disabled: [{name: NodePorts}]}
    placementScore: {enabled: [{name: NodeResourcesFit, weight: 2}]}
  pluginConfig:
  - name: Mine
    args: {x: [1, {y: z}]}
  - name: NodeAffinity
    args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}}}
  - name: PodTopologySpread
    args: {defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: k, whenUnsatisfiable: ScheduleAnyway}]}
extenders:
- urlPrefix: http://x
  filterVerb: f
  weight: 2
  httpTimeout: 3s
  tlsConfig: {serverName: s, certData: aGFyYm91cg==}
  managedResources: [{name: a.b/c, ignoredByScheduler: true}, {name: a.b/d}]
  ignorable: true
)");
  const std::string once = api::ToYaml(EncodeConfiguration(Loaded(text).config));
  // Loading it again merges the default plugins once more, which must change nothing.
  const std::string twice = api::ToYaml(EncodeConfiguration(Loaded(once).config));
  EXPECT_EQ(once, twice);
  EXPECT_NE(once.find("certData: aGFyYm91cg=="), std::string::npos) << once;
}

TEST(Load, IgnoredResourcesOfExtendersReachEveryProfile) {
  const framework::Registry registry = plugins::InTreeRegistry();
  const auto outcome = LoadAndPlan(
      V1("profiles: [{schedulerName: a}, {schedulerName: b}]\nextenders:\n- urlPrefix: http://x\n  managedResources:\n"
         "  - {name: a.b/c, ignoredByScheduler: true}\n  - {name: a.b/d}\n"),
      "f", registry);
  const auto* planned = std::get_if<PlannedConfiguration>(&outcome);
  ASSERT_NE(planned, nullptr);
  for (const ProfilePlan& plan : planned->plans) {
    const auto* args =
        dynamic_cast<const plugins::NodeResourcesFitArgs*>(plan.args.find("NodeResourcesFit")->second.get());
    ASSERT_NE(args, nullptr);
    EXPECT_EQ(args->ignored_resources, std::vector<std::string>{"a.b/c"});
  }
}

TEST(Load, EveryDefaultPluginExists) {
  const framework::Registry registry = plugins::InTreeRegistry();
  EXPECT_TRUE(PlanAll(DefaultConfiguration(registry), registry).problems.empty());
}

TEST(Load, ArgumentsOfAnotherKindAreRefused) {
  struct Case {
    const char* args;
    const char* want;
  };
  const Case cases[] = {
      {"{kind: InterPodAffinityArgs}",
       "f:6:18: profiles[0].pluginConfig[0].args.kind: args for plugin NodeAffinity were not of type NodeAffinityArgs, "
       "got InterPodAffinityArgs"},
      {"{kind: MoonArgs}",
       "f:6:18: profiles[0].pluginConfig[0].args.kind: args for plugin NodeAffinity: no kind \"MoonArgs\" is "
       "registered"},
      {"{apiVersion: v7}",
       "f:6:24: profiles[0].pluginConfig[0].args.apiVersion: args for plugin NodeAffinity: no kind "
       "\"NodeAffinityArgs\" is registered for version \"v7\""},
      {"{hardPodAffinityWeight: 3}", "f:6:12: profiles[0].pluginConfig[0].args.hardPodAffinityWeight: unknown field"},
  };
  for (const Case& c : cases) {
    const std::vector<std::string> problems =
        Problems(V1(std::string("profiles:\n- pluginConfig:\n  - name: NodeAffinity\n    args: ") + c.args + "\n"),
                 Stage::Decode);
    ASSERT_EQ(problems.size(), 1U) << c.args;
    EXPECT_EQ(problems.front(), c.want);
  }
}

TEST(Load, ArgumentsThatNobodyReadsAreNoted) {
  const LoadedConfiguration loaded = Loaded(
      V1("profiles:\n- pluginConfig:\n  - {name: NodeName, args: {kind: NodeAffinityArgs}}\n  - {name: Moon}\n"));
  EXPECT_EQ(loaded.notes, std::vector<std::string>{"profiles[0].pluginConfig[0].args: plugin NodeName takes no "
                                                   "arguments, these have no effect"});
}

struct TideArgs final : framework::TypedArgs {
  int32_t height = 5;

  void Decode(api::FieldReader& reader) override { height = reader.Int32("height").value_or(height); }
  void Encode(api::Value& map) const override { map.Set("height", api::Value::Int(height)); }
  std::vector<std::string> Validate(const std::string& path, const features::FeatureGates&) const override {
    if (height >= 0) return {};
    return {Invalid(Child(path, "height"), height, "is below the ground")};
  }
};

// Out-of-tree plugins, as another program would add them.
struct Tide final : framework::PreEnqueuePlugin {
  using Args = TideArgs;
  framework::Status PreEnqueue(const api::Pod&) const override { return {}; }
};
struct Wind final : framework::PreEnqueuePlugin {
  Wind(const framework::RawArgs*, framework::Handle&) {}
  framework::Status PreEnqueue(const api::Pod&) const override { return {}; }
};

OrProblem<PlannedConfiguration> WithForeignPlugins(const std::string& plugin_config) {
  framework::Registry registry = plugins::InTreeRegistry();
  EXPECT_TRUE(registry.Add(framework::Entry<Tide>("Tide")));
  EXPECT_TRUE(registry.Add(framework::Entry<Wind>("Wind")));
  return LoadAndPlan(
      V1("profiles:\n- plugins: {preEnqueue: {enabled: [{name: Tide}, {name: Wind}]}}\n" + plugin_config), "f",
      registry);
}

TEST(Load, ForeignPluginsReadTheirOwnArguments) {
  const auto outcome = WithForeignPlugins(
      "  pluginConfig: [{name: Tide, args: {kind: TideArgs, height: 3}}, {name: Wind, args: {from: [west]}}]\n");
  ASSERT_TRUE(std::holds_alternative<PlannedConfiguration>(outcome));
  const PlannedConfiguration& planned = std::get<PlannedConfiguration>(outcome);
  const auto* tide = dynamic_cast<const TideArgs*>(planned.plans[0].args.find("Tide")->second.get());
  ASSERT_NE(tide, nullptr);
  EXPECT_EQ(tide->height, 3);
  const auto* wind = dynamic_cast<const framework::RawArgs*>(planned.plans[0].args.find("Wind")->second.get());
  ASSERT_NE(wind, nullptr);
  EXPECT_EQ(api::ToJson(wind->value), R"({"from":["west"]})");
  const PluginConfig* config = planned.loaded.config.profiles[0].FindConfig("Tide");
  EXPECT_EQ(api::ToJson(EncodeArgs(*config)),
            R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"TideArgs","height":3})");
}

TEST(Load, ForeignPluginsGetTheirDefaults) {
  const auto outcome = WithForeignPlugins("");
  ASSERT_TRUE(std::holds_alternative<PlannedConfiguration>(outcome));
  const auto& args = std::get<PlannedConfiguration>(outcome).plans[0].args;
  const auto* tide = dynamic_cast<const TideArgs*>(args.find("Tide")->second.get());
  ASSERT_NE(tide, nullptr);
  EXPECT_EQ(tide->height, 5);
  EXPECT_FALSE(args.contains("Wind"));
}

TEST(Load, ForeignPluginsRefuseWhatTheyCannotUse) {
  struct Case {
    const char* args;
    Stage stage;
    const char* want;
  };
  const Case cases[] = {
      {"{height: -1}", Stage::Validate,
       "f:5:38: profiles[0].pluginConfig[0].args.height: Invalid value: -1: is below the ground"},
      {"{hight: 1}", Stage::Decode, "f:5:38: profiles[0].pluginConfig[0].args.hight: unknown field"},
      {"{kind: NodeAffinityArgs}", Stage::Decode,
       "f:5:44: profiles[0].pluginConfig[0].args.kind: args for plugin Tide were not of type TideArgs, got "
       "NodeAffinityArgs"},
  };
  for (const Case& c : cases) {
    const auto outcome = WithForeignPlugins(std::string("  pluginConfig: [{name: Tide, args: ") + c.args + "}]\n");
    const auto* problem = std::get_if<ConfigProblem>(&outcome);
    ASSERT_NE(problem, nullptr) << c.args;
    EXPECT_EQ(StageName(problem->stage), StageName(c.stage));
    EXPECT_EQ(problem->messages, std::vector<std::string>{c.want});
  }
}

TEST(Load, BuildReportsAllUnknownPluginsOnce) {
  const std::vector<std::string> problems = Problems(
      V1("profiles:\n- plugins:\n    preFilter: {enabled: [{name: Moon}]}\n    filter: {enabled: [{name: Moon}]}\n"
         "    score: {enabled: [{name: Sun}]}\n"),
      Stage::Build);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_NE(problems[0].find("PreFilterPlugin \"Moon\" does not exist"), std::string::npos);
  EXPECT_NE(problems[1].find("ScorePlugin \"Sun\" does not exist"), std::string::npos);
}

TEST(Load, IgnorableExtendersComeLast) {
  const std::vector<Extender> extenders =
      Loaded(V1("extenders: [{urlPrefix: a, ignorable: true}, {urlPrefix: b}, {urlPrefix: c}]\n")).config.extenders;
  const std::vector<Extender> ordered = OrderedExtenders(extenders);
  EXPECT_EQ(ordered[0].url_prefix, "b");
  EXPECT_EQ(ordered[1].url_prefix, "c");
  EXPECT_EQ(ordered[2].url_prefix, "a");
}

}  // namespace
}  // namespace berth::config
