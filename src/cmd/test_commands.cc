// SPDX-License-Identifier: Apache-2.0
#include "cmd/test_commands.h"

#include "cmd/main_entry.h"
#include "plugins/registry.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace berth::cmd {

TestCommands::~TestCommands() {
  std::error_code ignored;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

int TestCommands::Berth(const std::vector<std::string>& arguments) {
  return BerthWith(plugins::InTreeRegistry(), arguments);
}

int TestCommands::BerthWith(const framework::Registry& registry, const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = RunCommandLine(arguments, registry, {&out, &err});
  out_ = out.str();
  err_ = err.str();
  return code;
}

std::string TestCommands::File(const std::string& name, const std::string& content) {
  if (directory_.empty()) {
    directory_ = (std::filesystem::temp_directory_path() / "berth_test_XXXXXX").string();
    if (mkdtemp(directory_.data()) == nullptr) std::abort();
  }
  const std::string path = directory_ + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

}  // namespace berth::cmd
