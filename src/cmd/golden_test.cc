// SPDX-License-Identifier: Apache-2.0
// The documents that -o json prints are a contract: docs/cli.md describes them, and these files enforce it. Run with
// BERTH_UPDATE_GOLDEN=1 to rewrite the files, then review the diff.
#include "api/document.h"
#include "cmd/demo_cluster.h"
#include "cmd/streams.h"
#include "cmd/test_commands.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class GoldenTest : public ::testing::Test, public TestCommands {
 protected:
  void Compare(const std::string& name, std::vector<std::string> arguments, int code) {
    arguments.insert(arguments.end(), {"-f", DemoFile()});
    EXPECT_EQ(Berth(arguments), code) << err_;
    EXPECT_EQ(err_, "") << "the sample cluster is complete";
    const std::string path = std::string(BERTH_SOURCE_DIR "/src/cmd/testdata/") + name;
    if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << out_;
    EXPECT_EQ(out_, ReadAll(path)) << name;
  }
};

TEST_F(GoldenTest, SimulateAsTable) { Compare("simulate.txt", {"simulate"}, kExitNo); }
TEST_F(GoldenTest, SimulateAsJson) { Compare("simulate.json", {"simulate", "-o", "json"}, kExitNo); }
TEST_F(GoldenTest, ExplainPending) {
  Compare("explain_pending.json", {"explain", "platform/logs-1", "-o", "json"}, kExitNo);
}
TEST_F(GoldenTest, ExplainPreemption) {
  Compare("explain_preemption.json", {"explain", "shop/checkout-1", "-o", "json"}, kExitNo);
}
TEST_F(GoldenTest, ExplainPlaced) { Compare("explain_placed.json", {"explain", "shop/web-3", "-o", "json"}, kExitOk); }
TEST_F(GoldenTest, ExplainRunningOnOneNode) {
  Compare("explain_running_node.json", {"explain", "shop/web-1", "--node", "node-b1", "-o", "json"}, kExitOk);
}

TEST_F(GoldenTest, BuiltInClusterIsTheExample) {
  EXPECT_EQ(DemoCluster(), ReadAll(DemoFile()));
  EXPECT_EQ(Berth({"demo", "--cluster"}), kExitOk);
  EXPECT_EQ(out_, DemoCluster());
}

TEST_F(GoldenTest, DemoShowsEachCommandAndItsAnswer) {
  EXPECT_EQ(Berth({"demo"}), kExitOk);
  EXPECT_EQ(err_, "");
  const std::string tour = out_;
  Berth({"simulate", "-f", DemoFile()});
  EXPECT_NE(tour.find("$ berth simulate -f cluster.yaml\n" + out_), std::string::npos);
  Berth({"explain", "platform/logs-1", "-f", DemoFile()});
  EXPECT_NE(tour.find("$ berth explain platform/logs-1 -f cluster.yaml\n" + out_), std::string::npos);
  EXPECT_NE(tour.find("Try next:"), std::string::npos);
}

TEST_F(GoldenTest, YamlHoldsWhatJsonHolds) {
  Berth({"simulate", "-f", DemoFile(), "-o", "json"});
  const std::string json = out_;
  Berth({"simulate", "-f", DemoFile(), "-o", "yaml"});
  const std::string yaml = File("report.yaml", out_);
  const std::string copy = File("report.json", json);
  EXPECT_EQ(api::ToJson(api::ReadDocumentsFromFile(yaml).value()[0].root, 2),
            api::ToJson(api::ReadDocumentsFromFile(copy).value()[0].root, 2));
}

}  // namespace
}  // namespace berth::cmd
