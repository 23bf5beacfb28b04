// SPDX-License-Identifier: Apache-2.0
// Scenarios, records and replays as users see them. Whole outputs are compared with files in testdata; run with
// BERTH_UPDATE_GOLDEN=1 to rewrite those, then review the diff.
#include "api/document.h"
#include "cmd/streams.h"
#include "cmd/test_commands.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

std::string Example(const std::string& name) { return BERTH_SOURCE_DIR "/examples/scenarios/" + name; }

std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

const std::string kSmall =
    "apiVersion: berth/v1alpha1\nkind: Scenario\nduration: 10m\n"
    "nodes: [{name: node, allocatable: {cpu: 2}}]\n"
    "workloads:\n"
    "- {name: a, lifetime: 90s, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 2}}}]}}}\n"
    "- {name: b, from: 1m, template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}}\n";

class ScenarioCommandTest : public ::testing::Test, public TestCommands {
 protected:
  void Compare(const std::string& name, const std::vector<std::string>& arguments, int code) {
    EXPECT_EQ(Berth(arguments), code) << err_;
    EXPECT_EQ(err_, "");
    const std::string path = BERTH_SOURCE_DIR "/src/cmd/testdata/" + name;
    if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << out_;
    EXPECT_EQ(out_, ReadAll(path)) << name;
  }

  // The record of the small scenario.
  std::string Recorded() {
    const std::string scenario = File("small.yaml", kSmall);
    const std::string record = directory() + "/small.jsonl";
    EXPECT_EQ(Berth({"simulate", "--scenario", scenario, "--record", record}), kExitOk) << err_;
    return record;
  }
};

TEST_F(ScenarioCommandTest, FailuresAsTable) {
  Compare("scenario_failures.txt", {"simulate", "--scenario", Example("failures.yaml")}, kExitOk);
}
TEST_F(ScenarioCommandTest, BurstAsWideTable) {
  Compare("scenario_burst.txt", {"simulate", "--scenario", Example("burst.yaml"), "-o", "wide"}, kExitNo);
}
TEST_F(ScenarioCommandTest, GatesAsJson) {
  Compare("scenario_gates.json", {"simulate", "-f", Example("gates.yaml"), "-o", "json"}, kExitOk);
}

TEST_F(ScenarioCommandTest, YamlHoldsWhatJsonHolds) {
  Berth({"simulate", "-f", Example("gates.yaml"), "-o", "json"});
  const std::string json = File("report.json", out_);
  Berth({"simulate", "-f", Example("gates.yaml"), "-o", "yaml"});
  const std::string yaml = File("report.yaml", out_);
  EXPECT_EQ(api::ToJson(api::ReadDocumentsFromFile(yaml).value()[0].root, 2),
            api::ToJson(api::ReadDocumentsFromFile(json).value()[0].root, 2));
}

TEST_F(ScenarioCommandTest, AClusterFromFilesLivesThroughAScenario) {
  const std::string scenario = File("scenario.yaml",
                                    "apiVersion: berth/v1alpha1\nkind: Scenario\nduration: 1h\n"
                                    "events: [{at: 10m, action: drainNode, node: node-a1}]\n");
  EXPECT_EQ(Berth({"simulate", "-f", DemoFile(), "--scenario", scenario, "-o", "json"}), kExitNo) << err_;
  const api::Value report = api::ReadDocuments(out_, "out").value().front().root;
  EXPECT_EQ(report.Find("summary")->Find("nodes")->text(), "10");
  EXPECT_NE(out_.find("\"what\": \"drained\""), std::string::npos) << out_;
}

TEST_F(ScenarioCommandTest, FilesOfAScenarioLieBesideIt) {
  File("nodes.yaml", "kind: Node\nmetadata: {name: x}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}\n");
  const std::string scenario = File("scenario.yaml",
                                    "apiVersion: berth/v1alpha1\nkind: Scenario\nduration: 1h\nfiles: [nodes.yaml]\n"
                                    "workloads: [{name: a, template: {spec: {containers: [{name: c}]}}}]\n");
  EXPECT_EQ(Berth({"simulate", "--scenario", scenario}), kExitOk) << err_;
}

TEST_F(ScenarioCommandTest, TheSeedOfTheCommandLineOverrulesTheScenarios) {
  Berth({"simulate", "-f", Example("failures.yaml")});
  const std::string own = out_;
  Berth({"simulate", "-f", Example("failures.yaml"), "--seed", "3"});
  EXPECT_EQ(out_, own) << "the scenario's seed is 3";
  Berth({"simulate", "-f", Example("failures.yaml"), "--seed", "4"});
  EXPECT_NE(out_, own);
}

TEST_F(ScenarioCommandTest, WhatIsWrongIsToldWithItsPlace) {
  const struct {
    std::string content;
    std::string says;
  } cases[] = {
      {kSmall + "durations: 1h\n", "bad.yaml:8:1: durations: unknown field"},
      {kSmall + "files: [missing.yaml]\n", "missing.yaml"},
      {kSmall + "objects: [{kind: Node}]\n", "bad.yaml:8:11: metadata.name: a name is required"},
      {kSmall + "---\n" + kSmall, "two scenarios"},
      {"kind: Pod\nmetadata: {name: a}\n", "no file holds a scenario (kind: Scenario)"},
      {"apiVersion: berth/v1alpha1\nkind: Scenario\n[", "bad.yaml:3"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(Berth({"simulate", "--scenario", File("bad.yaml", test.content)}), kExitFailed) << test.says;
    EXPECT_NE(err_.find(test.says), std::string::npos) << err_;
    EXPECT_EQ(out_, "");
  }
  EXPECT_EQ(Berth({"simulate", "--scenario", "/nowhere.yaml"}), kExitFailed);
  EXPECT_EQ(Berth({"simulate", "-f", Example("gates.yaml"), "--record", "/nowhere/r.jsonl"}), kExitFailed);
  EXPECT_NE(err_.find("cannot create the record /nowhere/r.jsonl.tmp: No such file or directory"), std::string::npos)
      << err_;
}

TEST_F(ScenarioCommandTest, ARecordReplacesNothingButARecord) {
  const std::string scenario = File("small.yaml", kSmall);
  EXPECT_EQ(Berth({"simulate", "--scenario", scenario, "--record", scenario}), kExitFailed);
  EXPECT_NE(err_.find("small.yaml: the run is read from it"), std::string::npos) << err_;
  EXPECT_EQ(Berth({"simulate", "--scenario", scenario, "--record", directory()}), kExitFailed);
  EXPECT_NE(err_.find("it is not a regular file"), std::string::npos) << err_;
  EXPECT_EQ(Berth({"simulate", "--scenario", scenario}), kExitOk) << "it is still what it was";

  const std::string target = File("target.jsonl", "");
  const std::string link = directory() + "/link.jsonl";
  std::filesystem::create_symlink(target, link);
  EXPECT_EQ(Berth({"simulate", "--scenario", scenario, "--record", link}), kExitOk) << err_;
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(Berth({"replay", target}), kExitOk) << err_;
}

TEST_F(ScenarioCommandTest, WordsThatDoNotGoTogether) {
  const std::vector<std::vector<std::string>> cases = {
      {"simulate", "-f", DemoFile(), "--record", "r.jsonl"},
      {"simulate", "-f", "-", "--scenario", "-"},
      {"explain", "a", "--attempt", "1", "-f", DemoFile()},
      {"explain", "a", "--record", "r.jsonl", "-f", DemoFile()},
      {"explain", "a", "--record", "r.jsonl", "--node", "x"},
      {"explain", "a", "--record", "r.jsonl", "--config", "x"},
      {"explain", "a"},
      {"explain", "--record", "r.jsonl"},
      {"replay"},
  };
  for (const auto& arguments : cases) {
    EXPECT_EQ(Berth(arguments), kExitUsage) << ::testing::PrintToString(arguments);
    EXPECT_NE(err_, "");
  }
}

TEST_F(ScenarioCommandTest, ARecordReplaysFromItsFileAlone) {
  const std::string record = Recorded();
  EXPECT_FALSE(std::filesystem::exists(record + ".tmp"));
  std::filesystem::remove(directory() + "/small.yaml");
  EXPECT_EQ(Berth({"replay", record}), kExitOk) << err_;
  EXPECT_EQ(out_, "3 decisions, all as recorded\n");
  EXPECT_EQ(err_, "");
}

TEST_F(ScenarioCommandTest, ARecordHasItsConfigurationInIt) {
  const std::string config = File("config.yaml",
                                  "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                                  "podInitialBackoffSeconds: 3\n"
                                  "profiles: [{schedulerName: mine, plugins: {score: {disabled: [{name: '*'}]}}}]\n");
  std::string scenario = kSmall;
  for (size_t at = 0; (at = scenario.find("containers", at)) != std::string::npos; at += 40) {
    scenario.insert(at, "schedulerName: mine, ");
  }
  const std::string record = File("own.jsonl", "");
  EXPECT_EQ(Berth({"simulate", "--scenario", File("own.yaml", scenario), "--config", config, "--record", record}),
            kExitOk)
      << err_;
  std::filesystem::remove(config);
  EXPECT_EQ(Berth({"replay", record}), kExitOk) << out_ << err_;
  EXPECT_EQ(out_, "3 decisions, all as recorded\n");
}

TEST_F(ScenarioCommandTest, AChangedDecisionIsTheAnswerNo) {
  std::string text = ReadAll(Recorded());
  // Another first decision and no seal: as if the scheduler had changed since.
  text.resize(text.rfind("{\"end\""));
  const size_t at = text.find("placed node=node-1");
  text.replace(at, 18, "placed node=node-9");
  EXPECT_EQ(Berth({"replay", File("changed.jsonl", text)}), kExitNo);
  EXPECT_EQ(out_,
            "0 decisions as recorded, then decision 1 differs\n"
            "  recorded: 1 1767225600000000000 default/a-1 attempt=1 placed node=node-9 score=0 best=1 feasible=1/1\n"
            "  now:      1 1767225600000000000 default/a-1 attempt=1 placed node=node-1 score=0 best=1 feasible=1/1\n");
}

TEST_F(ScenarioCommandTest, DamagedRecordsAreNamedAndUsedAsFarAsTheyGo) {
  const std::string text = ReadAll(Recorded());
  const std::string cut = File("cut.jsonl", text.substr(0, text.size() - 20));
  EXPECT_EQ(Berth({"replay", cut}), kExitOk);
  EXPECT_EQ(out_, "3 decisions, all as recorded; the record is not whole\n");
  EXPECT_NE(err_.find("is damaged: "), std::string::npos) << err_;
  EXPECT_NE(err_.find("what comes before is replayed"), std::string::npos) << err_;

  std::string flipped = text;
  flipped[flipped.find("\"cpu\":2") + 6] = '3';
  EXPECT_EQ(Berth({"replay", File("flipped.jsonl", flipped)}), kExitFailed);
  EXPECT_NE(err_.find("its checksum does not fit its content"), std::string::npos) << err_;

  EXPECT_EQ(Berth({"replay", File("other.jsonl", "hello\n")}), kExitFailed);
  EXPECT_NE(err_.find("is no record of a simulation"), std::string::npos) << err_;
  EXPECT_EQ(Berth({"replay", "/nowhere.jsonl"}), kExitFailed);
}

TEST_F(ScenarioCommandTest, ThePastOfAPodIsExplained) {
  const std::string record = Recorded();
  Compare("explain_past.txt", {"explain", "b-1", "--record", record}, kExitOk);
  Compare("explain_past.json", {"explain", "b-1", "--record", record, "--attempt", "2", "-o", "json"}, kExitOk);
  EXPECT_EQ(Berth({"explain", "b-2", "--record", record}), kExitFailed);
  EXPECT_NE(err_.find("tells of no pod default/b-2; did you mean \"default/b-1\"?"), std::string::npos) << err_;
  EXPECT_EQ(Berth({"explain", "b-1", "--record", record, "--attempt", "5"}), kExitFailed);
  EXPECT_NE(err_.find("pod default/b-1 has no attempt 5, but 2"), std::string::npos) << err_;
}

}  // namespace
}  // namespace berth::cmd
