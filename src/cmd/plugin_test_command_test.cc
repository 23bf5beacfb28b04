// SPDX-License-Identifier: Apache-2.0
#include "cmd/plugin_test_command.h"

#include "cmd/test_commands.h"
#include "plugins/registry.h"

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

using framework::Status;

// Scores by a number of the node that may be too high.
struct TestPlugin final : framework::ScorePlugin {
  Result<int64_t> Score(const framework::CycleState&, const framework::PodInfo&,
                        const framework::NodeInfo& node) const override {
    return node.allowed_pods;
  }
};

const std::string kConfig =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "profiles: [{plugins: {score: {enabled: [{name: RackScore}]}}}]\n";

std::string Node(const std::string& name, int pods) {
  return "kind: Node\nmetadata: {name: " + name + "}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '" +
         std::to_string(pods) + "'}}\n---\n";
}
const std::string kPod = "kind: Pod\nmetadata: {name: pod}\nspec: {containers: [{name: c}]}\n";
const std::string kRunning = "kind: Pod\nmetadata: {name: pod}\nspec: {nodeName: a, containers: [{name: c}]}\n";

class PluginTestCommandTest : public ::testing::Test, public TestCommands {
 protected:
  PluginTestCommandTest() : registry_(plugins::InTreeRegistry()) {
    EXPECT_TRUE(registry_.Add(framework::Entry<TestPlugin>("RackScore")));
  }
  int Plugin(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "plugin");
    return BerthWith(registry_, arguments);
  }

  framework::Registry registry_;
};

TEST_F(PluginTestCommandTest, TheExitCodeTellsWhetherRulesWereKept) {
  const std::string config = File("config.yaml", kConfig);
  const std::string good = File("good.yaml", Node("a", 10) + Node("b", 20) + kPod);
  const std::string bad = File("bad.yaml", Node("a", 10) + Node("b", 110) + kPod);
  EXPECT_EQ(Plugin({"test", "--config", config, "-f", good}), kExitOk) << err_;
  EXPECT_NE(out_.find("RackScore  default-scheduler     1        0       2         0  10..20      10..20"),
            std::string::npos)
      << out_;
  EXPECT_NE(out_.find("default/pod  -               2         0  10..20  b"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("NodeResourcesFit"), std::string::npos) << "only the configuration's own: " << out_;
  EXPECT_EQ(Plugin({"test", "--config", config, "-f", bad}), kExitFailed);
  EXPECT_NE(out_.find("BROKEN  RackScore: scores end in [0, 100], 1 time\n        110 for pod default/pod on node b"),
            std::string::npos)
      << out_;
}

TEST_F(PluginTestCommandTest, PodsThatRunAreAskedAboutWhenNoneWaits) {
  const std::string config = File("config.yaml", kConfig);
  const std::string recorded = File("recorded.yaml", Node("a", 10) + Node("b", 20) + kRunning);
  EXPECT_EQ(Plugin({"test", "--config", config, "-f", recorded}), kExitOk) << err_;
  EXPECT_NE(out_.find("default/pod  -               2         0  10..20  b"), std::string::npos) << out_;
  EXPECT_EQ(Plugin({"test", "--config", config, "-f", recorded, "--plugin", "NodeName"}), kExitOk)
      << "asked about as if it were on no node: " << out_;
  EXPECT_NE(out_.find("default/pod  -               2         0"), std::string::npos) << out_;
  EXPECT_EQ(Plugin({"test", "--config", config, "-f", File("empty.yaml", Node("a", 10))}), kExitFailed);
  EXPECT_NE(err_.find("there is no pod to ask about"), std::string::npos) << err_;
}

TEST_F(PluginTestCommandTest, RandomClustersAreTheSameForASeed) {
  EXPECT_EQ(Plugin({"test", "--plugin", "NodeResourcesFit", "--nodes", "12", "--pods", "6", "--seed", "3"}), kExitOk);
  const std::string first = out_;
  EXPECT_EQ(Plugin({"test", "--plugin", "NodeResourcesFit", "--nodes", "12", "--pods", "6", "--seed", "3"}), kExitOk);
  EXPECT_EQ(out_, first);
  EXPECT_EQ(Plugin({"test", "--plugin", "NodeResourcesFit", "--nodes", "12", "--pods", "6", "--seed", "4"}), kExitOk);
  EXPECT_NE(out_, first);
}

TEST_F(PluginTestCommandTest, WrongWordsAreToldWithAWayOut) {
  EXPECT_EQ(Plugin({"test", "--plugin", "NodeResourceFit"}), kExitFailed);
  EXPECT_EQ(err_,
            "berth: the configuration enables no plugin \"NodeResourceFit\" at PreFilter, Filter, PreScore or Score; "
            "did you mean \"NodeResourcesFit\"?\n");
  EXPECT_EQ(Plugin({"test", "-f", "x", "--nodes", "3"}), kExitUsage);
  EXPECT_NE(err_.find("--filename excludes --nodes"), std::string::npos) << err_;
  EXPECT_EQ(Plugin({"test", "--nodes", "0"}), kExitUsage);
  EXPECT_EQ(Plugin({"test", "--config", "/nowhere.yaml"}), kExitFailed);
  EXPECT_NE(err_.find("/nowhere.yaml"), std::string::npos) << err_;
}

TEST_F(PluginTestCommandTest, BenchPrintsThePluginBesideOneThatDoesNothing) {
  const std::string config = File("config.yaml", kConfig);
  EXPECT_EQ(Plugin({"bench", "--config", config, "--nodes", "20", "--pods", "2"}), kExitOk) << err_;
  EXPECT_NE(out_.find("20 nodes, 2 pods, one thread"), std::string::npos) << out_;
  EXPECT_NE(out_.find("RackScore         Score   plain  runtime"), std::string::npos) << out_;
  EXPECT_NE(out_.find("the least plugin  Filter  plain  a loop"), std::string::npos) << out_;
}

}  // namespace
}  // namespace berth::cmd
