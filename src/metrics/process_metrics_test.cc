// SPDX-License-Identifier: Apache-2.0
#include "metrics/process_metrics.h"

#include "metrics/process_use.h"
#include "metrics/test_exposition.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>

namespace berth::metrics {
namespace {

// A procfs made of files.
class ProcessMetricsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    proc_ = (std::filesystem::temp_directory_path() / "berth_proc_XXXXXX").string();
    ASSERT_NE(mkdtemp(proc_.data()), nullptr);
    std::filesystem::create_directories(proc_ + "/self/fd");
    std::filesystem::create_directories(proc_ + "/self/net");
  }
  void TearDown() override { std::filesystem::remove_all(proc_); }

  void File(const std::string& name, const std::string& text) { std::ofstream(proc_ + "/" + name) << text; }

  std::string proc_;
};

TEST_F(ProcessMetricsTest, TheSystemsNumbersAreExposedInSecondsAndBytes) {
  File("self/stat",
       "7 (a (odd) name) S 1 7 7 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 8 0 2500 1048576 16 18446744073 1\n");
  File("stat", "cpu  1 2 3\nbtime 1700000000\nprocesses 3\n");
  File("self/limits",
       "Limit                     Soft Limit           Hard Limit           Units     \n"
       "Max address space         unlimited            unlimited            bytes     \n"
       "Max open files            1024                 524288               files     \n");
  File("self/net/netstat", "TcpExt: A B\nTcpExt: 1 2\nIpExt: X InOctets OutOctets\nIpExt: 9 1234 567\n");
  File("self/fd/0", "");
  File("self/fd/1", "");
  const Exposition exposed = Exposition::Parse(ProcessMetrics({}, {}, proc_).Expose());
  const auto tick = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(exposed.Value("process_cpu_seconds_total"), 200 / tick);
  EXPECT_DOUBLE_EQ(exposed.Value("process_start_time_seconds"), 1700000000 + 2500 / tick);
  EXPECT_EQ(exposed.Value("process_virtual_memory_bytes"), 1048576);
  EXPECT_EQ(exposed.Value("process_resident_memory_bytes"), 16.0 * static_cast<double>(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(exposed.Value("process_virtual_memory_max_bytes"), 18446744073709551615.0);
  EXPECT_EQ(exposed.Value("process_open_fds"), 2);
  EXPECT_EQ(exposed.Value("process_max_fds"), 1024);
  EXPECT_EQ(exposed.Value("process_network_receive_bytes_total"), 1234);
  EXPECT_EQ(exposed.Value("process_network_transmit_bytes_total"), 567);
  EXPECT_EQ(exposed.families.at("process_cpu_seconds_total").type, "counter");
  EXPECT_EQ(exposed.families.at("process_open_fds").type, "gauge");
}

TEST_F(ProcessMetricsTest, WhatTheSystemDoesNotTellIsLeftOut) {
  File("self/stat", "7 (cut off) S 1\n");
  File("self/net/netstat", "IpExt: InOctets OutOctets\n");
  const Exposition exposed = Exposition::Parse(ProcessMetrics({}, {}, proc_).Expose());
  EXPECT_EQ(exposed.samples.size(), 2U) << "the build and the open files";
  EXPECT_EQ(Exposition::Parse(ProcessMetrics({}, {}, proc_ + "/none").Expose()).samples.size(), 1U);
}

TEST_F(ProcessMetricsTest, TheStartIsKnownWhereOnlyProcessesAreShown) {
  std::ostringstream stat;
  stat << std::ifstream("/proc/self/stat").rdbuf();
  File("self/stat", stat.str());
  const ProcessUse use = ReadProcessUse(proc_);
  ASSERT_TRUE(use.start_time_seconds);
  EXPECT_NEAR(*use.start_time_seconds, ReadProcessUse("/proc").start_time_seconds.value(), 2);
}

TEST_F(ProcessMetricsTest, ThisProcessHasAllNumbers) {
  const ProcessUse use = ReadProcessUse("/proc");
  ASSERT_TRUE(use.start_time_seconds);
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LE(*use.start_time_seconds, now + 1);
  EXPECT_GT(*use.start_time_seconds, now - 86400);
  EXPECT_GT(use.resident_memory_bytes.value_or(0), 0);
  EXPECT_GE(use.virtual_memory_bytes.value_or(0), use.resident_memory_bytes.value_or(0));
  EXPECT_GE(use.open_files.value_or(0), 3);
  EXPECT_GE(use.max_open_files.value_or(0), use.open_files.value_or(0));
  EXPECT_TRUE(use.cpu_seconds && use.max_virtual_memory_bytes);
}

TEST_F(ProcessMetricsTest, TheBuildAndItsFeaturesAreLabels) {
  const BuildInfo build{"1", "36", "v1.36.4", "", "", "", "", "gcc", "linux/\"amd64\\"};
  const Exposition exposed =
      Exposition::Parse(ProcessMetrics(build, {{"A", "ALPHA", false}, {"B", "", true}}, proc_).Expose());
  EXPECT_EQ(exposed.Value("kubernetes_build_info{build_date=\"\",compiler=\"gcc\",git_commit=\"\",git_tree_state=\"\","
                          "git_version=\"v1.36.4\",go_version=\"\",major=\"1\",minor=\"36\","
                          "platform=\"linux/\\\"amd64\\\\\"}"),
            1);
  EXPECT_EQ(exposed.Value("kubernetes_feature_enabled{name=\"A\",stage=\"ALPHA\"}"), 0);
  EXPECT_EQ(exposed.Value("kubernetes_feature_enabled{name=\"B\",stage=\"\"}"), 1);
  EXPECT_TRUE(exposed.families.at("kubernetes_feature_enabled").help.starts_with("[BETA] "));
}

}  // namespace
}  // namespace berth::metrics
