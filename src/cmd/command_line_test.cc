// SPDX-License-Identifier: Apache-2.0
#include "cmd/main_entry.h"
#include "cmd/streams.h"
#include "cmd/test_commands.h"
#include "plugins/registry.h"

#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

const std::string kCluster =
    "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n---\n"
    "kind: Pod\nmetadata: {name: small}\nspec: {containers: [{name: c, resources: {requests: {cpu: '1'}}}]}\n";
const std::string kLarge =
    "kind: Pod\nmetadata: {name: large}\nspec: {containers: [{name: c, resources: {requests: {cpu: '9'}}}]}\n";

class CommandLineTest : public ::testing::Test, public TestCommands {};

TEST_F(CommandLineTest, WrongWordsAreAUsageErrorWithAWayOut) {
  const struct {
    std::vector<std::string> arguments;
    std::string says;
  } cases[] = {
      {{}, "simulate"},
      {{"simulat"}, "berth: unknown command \"simulat\"; did you mean \"simulate\"?"},
      {{"config", "chek"}, "berth config: unknown command \"chek\"; did you mean \"check\"?"},
      {{"config"}, "berth config: A subcommand is required"},
      {{"simulate"}, "berth simulate: --filename is required"},
      {{"simulate", "--sed", "3", "-f", "x"}, "unknown flag \"--sed\"; did you mean \"--seed\"?"},
      {{"simulate", "--file", "x"}, "unknown flag \"--file\"; did you mean \"--filename\"?"},
      {{"simulate", "x.yaml"}, "unknown argument \"x.yaml\"; files are named after -f"},
      {{"simulate", "-f", "x", "-o", "xml"}, "xml not in {table,wide,json,yaml}"},
      {{"simulate", "-f", "x", "--color", "maybe"}, "maybe not in {auto,always,never}"},
      {{"simulate", "-f", "x", "--seed", "abc"}, "--seed: \"abc\" is not a whole number from 0 on"},
      {{"simulate", "-f", "x", "--seed", "-1"}, "--seed: \"-1\" is not a whole number from 0 on"},
      {{"simulate", "-f", "x", "--seed", "99999999999999999999999"}, "is not a whole number from 0 on"},
      {{"conformance", "--random", "--journeys", "0"}, "--journeys: \"0\" is not a whole number from 1 on"},
      {{"conformance", "--random", "--seconds", "-1"}, "--seconds: \"-1\" is not a whole number from 1 on"},
      {{"simulate", "-f", "-", "-f", "-"}, "standard input, which can be read only once"},
      {{"simulate", "-f", "-", "--config", "-"}, "standard input, which can be read only once"},
      {{"explain", "-f", "x"}, "which pod?"},
      {{"explain", "a/b/c", "-f", "x"}, "\"a/b/c\" names no pod"},
      {{"conformance"}, "FILE or --random is required"},
      {{"demo", "--clutser"}, "did you mean \"--cluster\"?"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(Berth(test.arguments), kExitUsage) << ::testing::PrintToString(test.arguments);
    EXPECT_NE(err_.find(test.says), std::string::npos) << err_;
    EXPECT_EQ(out_, "") << "what is wrong is no answer";
  }
}

TEST_F(CommandLineTest, EveryCommandHasHelpWithAnExample) {
  const std::vector<std::vector<std::string>> commands = {
      {"simulate"},           {"explain"},        {"config", "check"}, {"config", "convert"},
      {"config", "defaults"}, {"config", "diff"}, {"conformance"},     {"demo"},
      {"manifests"},          {"replay"},         {"plugin", "new"},   {"plugin", "test"},
      {"plugin", "bench"}};
  for (std::vector<std::string> command : commands) {
    command.emplace_back("--help");
    EXPECT_EQ(Berth(command), kExitOk);
    EXPECT_NE(out_.find("Example"), std::string::npos) << out_;
    EXPECT_EQ(err_, "");
  }
  EXPECT_EQ(Berth({"help", "simulate"}), kExitOk);
  EXPECT_NE(out_.find("--seed"), std::string::npos);
  EXPECT_EQ(Berth({"--help"}), kExitOk);
  EXPECT_NE(out_.find("explain"), std::string::npos);
}

TEST_F(CommandLineTest, VersionIsOneLine) {
  EXPECT_EQ(Berth({"version"}), kExitOk);
  const std::string version = out_;
  EXPECT_TRUE(version.starts_with("berth ")) << version;
  EXPECT_EQ(Berth({"--version"}), kExitOk);
  EXPECT_EQ(out_, version);
}

TEST_F(CommandLineTest, ExitCodesTellTheAnswer) {
  const std::string small = File("small.yaml", kCluster);
  const std::string large = File("large.yaml", kLarge);
  const struct {
    std::vector<std::string> arguments;
    int code;
  } cases[] = {
      {{"simulate", "-f", small}, kExitOk},
      {{"simulate", "-f", small, large}, kExitNo},
      {{"simulate", "-f", small, "-f", large}, kExitNo},
      {{"simulate", "-f", directory()}, kExitNo},
      {{"simulate", "-f", small, "-o", "json"}, kExitOk},
      {{"simulate", "-f", small, "-o", "yaml"}, kExitOk},
      {{"explain", "small", "-f", small}, kExitOk},
      {{"explain", "pod", "small", "-f", small}, kExitOk},
      {{"explain", "-f", small, "pod", "default/small"}, kExitOk},
      {{"explain", "-f", small, large, "pod/default/large"}, kExitNo},
      {{"explain", "small", "--node", "n1", "-f", small}, kExitOk},
      {{"explain", "large", "--node", "n1", "-f", small, large}, kExitNo},
      {{"explain", "smal", "-f", small}, kExitFailed},
      {{"explain", "small", "--node", "n2", "-f", small}, kExitFailed},
      {{"config", "defaults"}, kExitOk},
      {{"demo", "--cluster"}, kExitOk},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(Berth(test.arguments), test.code) << ::testing::PrintToString(test.arguments) << err_;
    EXPECT_EQ(out_.empty(), test.code == kExitFailed) << out_;
  }
}

// Time passes in a simulation, and a volume controller is at work in it. explain looks at the cluster as it is.
TEST_F(CommandLineTest, ExplainSaysWhichClaimsASimulationWouldBindFirst) {
  const auto with_mode = [&](const std::string& mode) {
    return File(mode + ".yaml",
                kCluster + "---\nkind: StorageClass\nmetadata: {name: c}\nprovisioner: x\nvolumeBindingMode: " + mode +
                    "\n---\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: default}\nspec: "
                    "{storageClassName: c, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
                    "---\nkind: Pod\nmetadata: {name: stores}\nspec: {volumes: [{name: data, persistentVolumeClaim: "
                    "{claimName: data}}]}\n");
  };
  const std::string note =
      "berth: note: claim default/data is not bound. explain judges the cluster as it is; berth simulate binds such "
      "claims first, as a volume controller does\n";
  const std::string immediate = with_mode("Immediate");
  EXPECT_EQ(Berth({"explain", "stores", "-f", immediate}), kExitNo);
  EXPECT_EQ(err_, note);
  EXPECT_EQ(Berth({"simulate", "-f", immediate}), kExitOk) << out_;
  EXPECT_EQ(Berth({"explain", "stores", "-f", with_mode("WaitForFirstConsumer")}), kExitOk);
  EXPECT_EQ(err_, "");
}

TEST_F(CommandLineTest, GatedAndForeignPodsAreNotPending) {
  const std::string file = File("cluster.yaml", kCluster +
                                                    "---\nkind: Pod\nmetadata: {name: gated}\nspec: {schedulingGates: "
                                                    "[{name: g}]}\n---\nkind: Pod\nmetadata: {name: foreign}\nspec: "
                                                    "{schedulerName: other}\n");
  EXPECT_EQ(Berth({"simulate", "-f", file}), kExitOk);
  EXPECT_NE(out_.find("GATED (1)"), std::string::npos) << out_;
  EXPECT_NE(out_.find("LEFT ALONE (1)"), std::string::npos) << out_;
  EXPECT_EQ(Berth({"explain", "gated", "-f", file}), kExitNo);
  EXPECT_EQ(Berth({"explain", "foreign", "-f", file}), kExitFailed);
  EXPECT_NE(err_.find("pod default/foreign takes no part in scheduling: scheduler other is none of the profiles"),
            std::string::npos)
      << err_;
}

TEST_F(CommandLineTest, CloseNamesAreSuggested) {
  const struct {
    std::vector<std::string> arguments;
    std::string says;
  } cases[] = {
      {{"explain", "shop/wbe-3"}, "pod shop/wbe-3 is in none of the files; did you mean shop/web-3?"},
      {{"explain", "warehouse-0"}, "did you mean data/warehouse-0?"},
      {{"explain", "shop/web-3", "--node", "infra"}, "node infra is in none of the files; did you mean infra-c1?"},
  };
  for (const auto& test : cases) {
    std::vector<std::string> arguments = test.arguments;
    arguments.insert(arguments.end(), {"-f", DemoFile()});
    EXPECT_EQ(Berth(arguments), kExitFailed);
    EXPECT_NE(err_.find(test.says), std::string::npos) << err_;
  }
}

TEST_F(CommandLineTest, WhatIsIgnoredIsSaidInOneLine) {
  const std::string file =
      File("cluster.yaml", kCluster +
                               "---\nkind: Deployment\nmetadata: {name: a}\n---\nkind: Deployment\n"
                               "metadata: {name: b}\n---\nkind: ConfigMap\nmetadata: {name: c}\n");
  EXPECT_EQ(Berth({"simulate", "-f", file}), kExitOk);
  EXPECT_EQ(err_, "berth: ignored 1 ConfigMap, 2 Deployment: the scheduler does not read these kinds\n");
}

TEST_F(CommandLineTest, ColourFollowsFlagAndEnvironment) {
  const auto colour = [&](const char* no_colour, const char* force, const char* term, bool terminal,
                          std::string_view flag) {
    setenv("NO_COLOR", no_colour, 1);
    setenv("CLICOLOR_FORCE", force, 1);
    setenv("TERM", term, 1);
    std::ostringstream sink;
    const bool wants = WantsColour(flag, {&sink, &sink, terminal});
    unsetenv("NO_COLOR");
    unsetenv("CLICOLOR_FORCE");
    unsetenv("TERM");
    return wants;
  };
  EXPECT_TRUE(colour("", "", "xterm", true, "auto"));
  EXPECT_FALSE(colour("", "", "xterm", false, "auto"));
  EXPECT_FALSE(colour("1", "", "xterm", true, "auto"));
  EXPECT_FALSE(colour("", "", "dumb", true, "auto"));
  EXPECT_TRUE(colour("", "1", "xterm", false, "auto"));
  EXPECT_FALSE(colour("", "0", "xterm", false, "auto"));
  EXPECT_FALSE(colour("1", "1", "xterm", true, "auto"));
  EXPECT_TRUE(colour("1", "", "dumb", false, "always"));
  EXPECT_FALSE(colour("", "1", "xterm", true, "never"));
}

TEST_F(CommandLineTest, OutputThatIsNoTerminalHoldsNoEscapes) {
  for (const std::string format : {"table", "wide", "json", "yaml"}) {
    Berth({"simulate", "-f", DemoFile(), "-o", format});
    EXPECT_EQ(out_.find('\x1b'), std::string::npos) << format;
  }
  Berth({"simulate", "-f", DemoFile(), "--color", "always"});
  EXPECT_NE(out_.find("\x1b[32mPLACED\x1b[0m"), std::string::npos);
}

// An out-of-tree plugin, as another program would add it.
class OnlyN1 final : public framework::FilterPlugin {
 public:
  framework::Status Filter(const framework::CycleState&, const framework::PodInfo&,
                           const framework::NodeInfo& node) const override {
    return node.name() == "n1" ? framework::Status::Success() : framework::Status::Unschedulable("not n1");
  }
};

TEST_F(CommandLineTest, ProgramsAddPluginsOfTheirOwn) {
  framework::Registry registry = plugins::InTreeRegistry();
  ASSERT_TRUE(registry.Add(framework::Entry<OnlyN1>("OnlyN1")));
  const std::string cluster = File("cluster.yaml", kCluster +
                                                       "---\nkind: Node\nmetadata: {name: n2}\nstatus: "
                                                       "{allocatable: {cpu: '64', memory: 8Gi, pods: '10'}}\n");
  const std::string config = File("config.yaml",
                                  "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                                  "profiles:\n- plugins: {filter: {enabled: [{name: OnlyN1}]}}\n");
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(RunCommandLine({"explain", "small", "-f", cluster, "--config", config}, registry, {&out, &err}), kExitOk)
      << err.str();
  EXPECT_NE(out.str().find("1 OnlyN1"), std::string::npos) << out.str();
}

// An out-of-tree plugin that describes its rejections.
class NeedsRack final : public framework::FilterPlugin, public framework::DescribeRejectionPlugin {
 public:
  framework::Status Filter(const framework::CycleState&, const framework::PodInfo&,
                           const framework::NodeInfo& node) const override {
    return node.node->meta.labels.Has("rack") ? framework::Status::Success()
                                              : framework::Status::Unresolvable("node(s) had no rack");
  }
  framework::RejectionDescription DescribeRejection(const framework::CycleState&, const framework::PodInfo&,
                                                    const framework::NodeInfo&,
                                                    const framework::Status&) const override {
    return {{framework::UnmetRequirement{{"rack", "Exists", {}}, std::nullopt}},
            {{framework::Remedy::Of::Node, "label", {"rack=…"}}}};
  }
};

TEST_F(CommandLineTest, PluginsFromOutsideAreExplained) {
  framework::Registry registry = plugins::InTreeRegistry();
  ASSERT_TRUE(registry.Add(framework::Entry<NeedsRack>("NeedsRack")));
  const std::string cluster = File("cluster.yaml", kCluster);
  const std::string config = File("config.yaml",
                                  "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                                  "profiles:\n- plugins: {filter: {enabled: [{name: NeedsRack}]}}\n");
  std::ostringstream out;
  std::ostringstream err;
  RunCommandLine({"explain", "small", "-f", cluster, "--config", config}, registry, {&out, &err});
  EXPECT_NE(out.str().find("Closest     n1: needs rack exists, has no rack (only blocker)\n"), std::string::npos)
      << out.str() << err.str();
  EXPECT_NE(out.str().find("Would help  ▸ label rack=… on n1\n"), std::string::npos) << out.str();
}

TEST_F(CommandLineTest, FeatureGatesAreReadAsKubeSchedulerReadsThem) {
  const std::string file = File("cluster.yaml", kCluster);
  EXPECT_EQ(Berth({"simulate", "-f", file, "--feature-gates=NoSuchGate=true"}), kExitUsage);
  EXPECT_EQ(err_, "berth: unrecognized feature gate: NoSuchGate\n");
  EXPECT_EQ(Berth({"simulate", "-f", file, "--emulated-version=1.20"}), kExitUsage);
  EXPECT_EQ(Berth({"simulate", "--feature-gates", "PodLevelResources=true", "-f", file}), kExitOk) << err_;
  EXPECT_EQ(err_, "");
  EXPECT_EQ(Berth({"explain", "small", "-f", file, "--feature-gates=MatchLabelKeysInPodTopologySpread=false",
                   "--feature-gates=MatchLabelKeysInPodTopologySpreadSelectorMerge=false"}),
            kExitOk)
      << err_;
}

TEST_F(CommandLineTest, GatesThatBerthDoesNotFollowAreNotAcceptedInSilence) {
  const std::string file = File("cluster.yaml", kCluster);
  EXPECT_EQ(Berth({"simulate", "-f", file, "--feature-gates=GenericWorkload=true"}), kExitUsage);
  EXPECT_TRUE(err_.starts_with("berth: feature gate GenericWorkload=true has no effect")) << err_;
  EXPECT_EQ(Berth({"simulate", "-f", file, "--feature-gates=OpportunisticBatching=true"}), kExitOk);
  EXPECT_TRUE(err_.starts_with("berth: warning: feature gate OpportunisticBatching=true has no effect")) << err_;
  EXPECT_EQ(Berth({"simulate", "-f", file, "--feature-gates=SchedulerAsyncPreemption=false"}), kExitOk);
  EXPECT_EQ(err_, "") << "this one is followed";
}

TEST_F(CommandLineTest, FeatureGatesDecideOnConfigurations) {
  const std::string file =
      File("config.yaml",
           "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
           "profiles:\n- pluginConfig:\n  - name: DynamicResources\n    args: {filterTimeout: 5s}\n");
  EXPECT_EQ(Berth({"config", "check", file}), kExitOk);
  EXPECT_EQ(Berth({"config", "check", file, "--feature-gates=DRASchedulerFilterTimeout=false"}), kExitNo);
  EXPECT_NE(out_.find("DRASchedulingFilterTimeout feature gate is disabled"), std::string::npos) << out_;
  Berth({"config", "defaults", "--emulated-version=1.33"});
  EXPECT_EQ(out_.find("DynamicResources"), std::string::npos) << out_;
  Berth({"config", "defaults"});
  EXPECT_NE(out_.find("DynamicResources"), std::string::npos);
}

TEST_F(CommandLineTest, LoggingTakesAFormatAndVerbosities) {
  const std::string file = File("cluster.yaml", kCluster);
  EXPECT_EQ(Berth({"simulate", "-f", file, "-v", "4", "--log-format", "json", "--vmodule=plugins/*=2"}), kExitOk);
  EXPECT_EQ(Berth({"simulate", "-f", file, "-v=4"}), kExitOk) << err_;
  EXPECT_EQ(Berth({"simulate", "-f", file, "--vmodule=plugins"}), kExitUsage);
  EXPECT_EQ(err_, "berth: \"plugins\" does not say how much a module logs: write PATTERN=N, for example queue=4\n");
  EXPECT_EQ(Berth({"simulate", "-f", file, "-v", "much"}), kExitUsage);
}

}  // namespace
}  // namespace berth::cmd
