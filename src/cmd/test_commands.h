// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

#include <string>
#include <vector>

namespace berth::cmd {

// Runs commands as a shell would, and captures their output. For tests.
class TestCommands {
 public:
  TestCommands() = default;
  TestCommands(const TestCommands&) = delete;
  TestCommands& operator=(const TestCommands&) = delete;
  ~TestCommands();

  // The exit code of `berth` with these arguments and the in-tree plugins.
  int Berth(const std::vector<std::string>& arguments);
  // The same with other plugins.
  int BerthWith(const framework::Registry& registry, const std::vector<std::string>& arguments);

  // A file in a directory private to this object and removed with it.
  std::string File(const std::string& name, const std::string& content);
  const std::string& directory() const { return directory_; }

  static std::string DemoFile() { return BERTH_SOURCE_DIR "/examples/demo/cluster.yaml"; }

 protected:
  std::string out_;
  std::string err_;

 private:
  std::string directory_;
};

}  // namespace berth::cmd
