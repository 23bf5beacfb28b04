// SPDX-License-Identifier: Apache-2.0
#include "cmd/streams.h"
#include "cmd/test_commands.h"

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

class BadInputTest : public ::testing::Test, public TestCommands {};

const std::string kConfigHead = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

TEST_F(BadInputTest, FilesThatCannotBeUsedAreNamedWithTheReason) {
  const struct {
    std::string name;
    std::string content;
    std::string says;
  } cases[] = {
      {"binary.yaml",
       std::string("\x7f"
                   "ELF\0\0\1",
                   7),
       "binary.yaml:1:5: input is not text"},
      {"truncated.yaml", "kind: Pod\nmetadata: {name: a\n", "truncated.yaml:"},
      {"truncated.json", "{\"kind\": \"Pod\", \"metadata\":", "truncated.json:"},
      {"tabs.yaml", "kind: Pod\n\tmetadata: {}\n", "tabs.yaml:2"},
      {"list.yaml", "- 1\n- 2\n", "list.yaml:1:1: expected an object, found list"},
      {"kindless.yaml", "metadata: {name: a}\n", "kindless.yaml:1:1: kind: a kind is required"},
      {"nameless.yaml", "kind: Pod\nmetadata: {}\n", "nameless.yaml:"},
      {"quantity.yaml", "kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: lots}}\n", "quantity.yaml:3"},
      {"twice.yaml", "kind: Node\nmetadata: {name: a}\n---\nkind: Node\nmetadata: {name: a}\n",
       "Node a appears twice, first at "},
  };
  for (const auto& test : cases) {
    const std::string file = File(test.name, test.content);
    for (const std::vector<std::string>& command : {std::vector<std::string>{"simulate"}, {"explain", "a"}}) {
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"-f", file});
      EXPECT_EQ(Berth(arguments), kExitFailed) << test.name;
      EXPECT_TRUE(err_.starts_with("berth: ")) << err_;
      EXPECT_NE(err_.find(test.says), std::string::npos) << err_;
      EXPECT_EQ(out_, "");
    }
  }
}

TEST_F(BadInputTest, MissingFilesAndEmptyDirectories) {
  EXPECT_EQ(Berth({"simulate", "-f", "/nonexistent/cluster.yaml"}), kExitFailed);
  EXPECT_EQ(err_, "berth: cannot open /nonexistent/cluster.yaml: No such file or directory\n");
  File("readme.txt", "not a manifest");
  EXPECT_EQ(Berth({"simulate", "-f", directory()}), kExitFailed);
  EXPECT_EQ(err_, "berth: directory " + directory() + " holds no .yaml, .yml or .json files\n");
}

TEST_F(BadInputTest, ConfigurationsThatCannotBeUsed) {
  const struct {
    std::string content;
    std::string says;
  } cases[] = {
      {kConfigHead + "profiles:\n- plugins: {score: {enabled: [{name: NodeResourceFit}]}}\n",
       "did you mean \"NodeResourcesFit\"?"},
      {kConfigHead + "parallelisme: 3\n", "parallelisme: unknown field"},
      {"kind: Pod\nmetadata: {name: a}\n", "cannot be used"},
      {"{", "cannot be used"},
  };
  for (const auto& test : cases) {
    const std::string config = File("config.yaml", test.content);
    EXPECT_EQ(Berth({"simulate", "-f", DemoFile(), "--config", config}), kExitFailed);
    EXPECT_NE(err_.find("configuration " + config + " cannot be used"), std::string::npos) << err_;
    EXPECT_NE(err_.find(test.says), std::string::npos) << err_;
    EXPECT_EQ(out_, "");
  }
  EXPECT_EQ(Berth({"explain", "shop/web-3", "-f", DemoFile(), "--config", "/nonexistent/c.yaml"}), kExitFailed);
  EXPECT_NE(err_.find("/nonexistent/c.yaml: No such file or directory"), std::string::npos) << err_;
}

TEST_F(BadInputTest, AnEmptyFileIsAnEmptyCluster) {
  const std::string file = File("empty.yaml", "");
  EXPECT_EQ(Berth({"simulate", "-f", file}), kExitOk);
  EXPECT_EQ(out_, "PLACED (0)\n");
  EXPECT_NE(err_.find("no pod is pending"), std::string::npos) << err_;
}

TEST_F(BadInputTest, ConformanceNeedsCasesItCanRead) {
  EXPECT_EQ(Berth({"conformance", "/nonexistent/cases.jsonl"}), kExitFailed);
  EXPECT_NE(err_.find("/nonexistent/cases.jsonl"), std::string::npos) << err_;
  const std::string file = File("cases.jsonl", "{\"id\": \"one\", \"pods\": []}\n");
  EXPECT_EQ(Berth({"conformance", file}), kExitOk) << err_;
  EXPECT_NE(out_.find("0 passed, 0 failed"), std::string::npos) << out_;
  EXPECT_EQ(Berth({"conformance", file, "--case", "two"}), kExitFailed);
  EXPECT_NE(err_.find("no case two"), std::string::npos) << err_;
}

}  // namespace
}  // namespace berth::cmd
