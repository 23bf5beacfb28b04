// SPDX-License-Identifier: Apache-2.0
#include "cmd/config_command.h"

#include "config/load.h"
#include "plugins/registry.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

class ConfigCommandTest : public ::testing::Test {
 protected:
  // A file private to this test, removed when it ends.
  std::string File(const std::string& text) {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    const std::string path = ::testing::TempDir() + "berth_" + info->name() + std::to_string(files_.size()) + ".yaml";
    std::ofstream(path) << text;
    files_.push_back(path);
    return path;
  }
  ~ConfigCommandTest() override {
    for (const std::string& file : files_) std::remove(file.c_str());
  }

  static std::string V1(const std::string& rest) {
    return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + rest;
  }

  framework::Registry registry_ = plugins::InTreeRegistry();
  std::ostringstream out_;
  std::ostringstream err_;
  ConfigStreams streams_{&out_, &err_};
  std::vector<std::string> files_;
};

TEST_F(ConfigCommandTest, CheckSaysOkInOneLine) {
  const std::string file = File(V1("profiles:\n- schedulerName: a\n- schedulerName: b\n"));
  EXPECT_EQ(RunConfigCheck({file}, registry_, streams_), 0);
  EXPECT_EQ(out_.str(), file + ": OK, 2 profiles (a, b)\n");
  EXPECT_EQ(err_.str(), "");
}

TEST_F(ConfigCommandTest, CheckNamesEveryProblemWithItsLine) {
  const std::string file = File(V1("parallelisme: 3\npercentageOfNodesToScore: many\n"));
  EXPECT_EQ(RunConfigCheck({file}, registry_, streams_), 3);
  EXPECT_NE(out_.str().find(file + ":3:1: parallelisme: unknown field"), std::string::npos) << out_.str();
  EXPECT_NE(out_.str().find(file + ":4:27: percentageOfNodesToScore: "), std::string::npos) << out_.str();
  EXPECT_NE(out_.str().find("not valid, 2 problems at decode"), std::string::npos) << out_.str();
}

TEST_F(ConfigCommandTest, CheckLocatesValidationProblems) {
  const std::string file = File(V1("podInitialBackoffSeconds: 0\nprofiles:\n- schedulerName: a\n- {}\n"));
  EXPECT_EQ(RunConfigCheck({file}, registry_, streams_), 3);
  EXPECT_NE(out_.str().find(file + ":3:1: podInitialBackoffSeconds: Invalid"), std::string::npos) << out_.str();
  EXPECT_NE(out_.str().find(file + ":6:3: profiles[1].schedulerName: Required"), std::string::npos) << out_.str();
}

TEST_F(ConfigCommandTest, CheckSuggestsPluginNames) {
  const std::string file =
      File(V1("profiles:\n- plugins:\n    score:\n      enabled:\n      - name: NodeResourceFit\n"));
  EXPECT_EQ(RunConfigCheck({file}, registry_, streams_), 3);
  EXPECT_NE(out_.str().find(file + ":7:"), std::string::npos) << out_.str();
  EXPECT_NE(out_.str().find("did you mean \"NodeResourcesFit\"?"), std::string::npos) << out_.str();
}

TEST_F(ConfigCommandTest, CheckOfAMissingFileFails) {
  EXPECT_EQ(RunConfigCheck({File("{"), "/nonexistent/config.yaml"}, registry_, streams_), 1);
  EXPECT_NE(err_.str().find("/nonexistent/config.yaml"), std::string::npos);
}

TEST_F(ConfigCommandTest, DefaultsReadBackAsTheDefaults) {
  EXPECT_EQ(RunConfigDefaults(registry_, streams_), 0);
  const std::string file = File(out_.str());
  out_.str("");
  EXPECT_EQ(RunConfigDiff(file, registry_, streams_), 0) << out_.str();
  EXPECT_EQ(out_.str(), "");
}

TEST_F(ConfigCommandTest, DiffTellsWhatChanges) {
  const std::string file = File(V1(R"(percentageOfNodesToScore: 50
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      disabled:
      - name: ImageLocality
      enabled:
      - name: NodeAffinity
        weight: 7
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
)"));
  EXPECT_EQ(RunConfigDiff(file, registry_, streams_), 3);
  EXPECT_EQ(out_.str(), R"(percentageOfNodesToScore: 0 -> 50
profile default-scheduler
  score
    - ImageLocality
    NodeAffinity: weight 2 -> 7
    NodeAffinity: moved to the front
  arguments of NodeResourcesFit
    scoringStrategy.type: LeastAllocated -> MostAllocated
)");
}

TEST_F(ConfigCommandTest, ConvertWritesV1AndNotesOnTheSide) {
  const std::string file = File(R"(apiVersion: kubescheduler.config.k8s.io/v1beta1
kind: KubeSchedulerConfiguration
metricsBindAddress: 0.0.0.0:10251
profiles:
- schedulerName: packer
  plugins:
    score:
      disabled:
      - name: NodeResourcesLeastAllocated
      enabled:
      - name: NodeResourcesMostAllocated
        weight: 4
)");
  EXPECT_EQ(RunConfigConvert(file, registry_, streams_), 0) << err_.str();
  EXPECT_NE(err_.str().find("note: metricsBindAddress"), std::string::npos) << err_.str();
  const std::string converted = File(out_.str());
  out_.str("");
  EXPECT_EQ(RunConfigDiff(converted, registry_, streams_), 3) << err_.str();
  EXPECT_NE(out_.str().find("NodeResourcesFit: weight 1 -> 4"), std::string::npos) << out_.str();
  EXPECT_NE(out_.str().find("scoringStrategy.type: LeastAllocated -> MostAllocated"), std::string::npos) << out_.str();
  EXPECT_NE(out_.str().find("TaintToleration: weight 3 -> 1"), std::string::npos) << out_.str();
}

}  // namespace
}  // namespace berth::cmd
