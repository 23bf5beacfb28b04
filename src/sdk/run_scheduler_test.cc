// SPDX-License-Identifier: Apache-2.0
#include "berth/plugin.h"
#include "berth/scheduler.h"

#include <array>

#include <gtest/gtest.h>

namespace berth {
namespace {

struct Open final : FilterPlugin {
  Status Filter(const CycleState&, const PodInfo&, const NodeInfo&) const override { return Status::Success(); }
};

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

// A program of these plugins, run with these arguments.
Outcome RunProgram(std::vector<PluginOption> plugins, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "/opt/my-scheduler");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.code = RunScheduler(static_cast<int>(argv.size()), argv.data(), std::move(plugins));
  outcome.out = ::testing::internal::GetCapturedStdout();
  outcome.err = ::testing::internal::GetCapturedStderr();
  return outcome;
}

TEST(RunScheduler, NamesAreTakenOnce) {
  const auto check = [](std::vector<PluginOption> plugins, const std::string& problem) {
    const Outcome outcome = RunProgram(std::move(plugins), {"config", "defaults"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.err, problem);
    EXPECT_EQ(outcome.out, "");
  };
  check({WithPlugin<Open>("Open"), WithPlugin<Open>("Open")}, "berth: two plugins are called \"Open\"\n");
  check({WithPlugin<Open>("NodeName")}, "berth: a plugin cannot be called \"NodeName\": that one comes with Berth\n");
  check({WithPlugin<Open>("")}, "berth: a plugin has no name\n");
}

TEST(RunScheduler, HasTheCommandsOfBerth) {
  const Outcome outcome = RunProgram({WithPlugin<Open>("Open")}, {"config", "defaults"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("KubeSchedulerConfiguration"), std::string::npos) << outcome.out;
  EXPECT_NE(RunProgram({}, {"--help"}).out.find("simulate"), std::string::npos);
  EXPECT_NE(RunProgram({}, {"--version"}).out.find("berth "), std::string::npos);
}

TEST(RunScheduler, OptionsAreKubeSchedulers) {
  const Outcome outcome = RunProgram({}, {"--confg=scheduler.yaml"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("unknown flag: --confg"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("my-scheduler"), std::string::npos) << "called by its own name: " << outcome.err;
}

TEST(RunScheduler, TakesPluginsOneByOne) {
  std::string program = "my-scheduler";
  std::string word = "version";
  std::array<char*, 2> argv = {program.data(), word.data()};
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(RunScheduler(argv.size(), argv.data(), WithPlugin<Open>("One"), WithPlugin<Open>("Two")), 0);
  EXPECT_NE(::testing::internal::GetCapturedStdout().find("berth "), std::string::npos);
}

}  // namespace
}  // namespace berth
