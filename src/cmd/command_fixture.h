// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/main_entry.h"
#include "plugins/registry.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::cmd {

// Runs commands as a shell would, and keeps what they said.
class CommandTest : public ::testing::Test {
 protected:
  ~CommandTest() override {
    std::error_code ignored;
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
  }

  int Berth(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = RunCommandLine(arguments, plugins::InTreeRegistry(), {&out, &err});
    out_ = out.str();
    err_ = err.str();
    return code;
  }

  // A file of this test alone, gone when it ends.
  std::string File(const std::string& name, const std::string& content) {
    if (directory_.empty()) {
      const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
      directory_ = ::testing::TempDir() + "berth_" + info->test_suite_name() + "_" + info->name();
      std::filesystem::create_directories(directory_);
    }
    const std::string path = directory_ + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  const std::string& directory() const { return directory_; }

  static std::string DemoFile() { return BERTH_SOURCE_DIR "/examples/demo/cluster.yaml"; }

  std::string out_;
  std::string err_;

 private:
  std::string directory_;
};

}  // namespace berth::cmd
