// SPDX-License-Identifier: Apache-2.0
#include "cmd/plugin_new_command.h"

#include "base/result.h"
#include "cmd/plugin_name.h"
#include "cmd/plugin_templates.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNextSteps = "next_steps.txt";

using Words = std::vector<std::pair<std::string_view, std::string>>;

std::string Filled(std::string_view text, const Words& words) {
  std::string filled(text);
  for (const auto& [word, value] : words) {
    for (size_t at = filled.find(word); at != std::string::npos; at = filled.find(word, at + value.size())) {
      filled.replace(at, word.size(), value);
    }
  }
  return filled;
}

// Makes the folder, which must not hold anything yet.
Result<void> MakeFolder(const fs::path& folder) {
  std::error_code failed;
  const fs::file_status found = fs::status(folder, failed);
  const bool is_empty = fs::is_directory(found) && fs::is_empty(folder, failed);
  if (fs::exists(found) && !is_empty) {
    return Error{ErrorCode::AlreadyExists,
                 fmt::format("{} exists already; name another folder with --out", folder.string())};
  }
  fs::create_directories(folder, failed);
  if (failed) return InvalidError(fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()));
  return {};
}

Result<void> WriteFile(const fs::path& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  std::ofstream file(path, std::ios::trunc | std::ios::binary);
  file << text;
  if (!file.flush()) return InvalidError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  return {};
}

Result<void> WriteProject(const PluginNewOptions& options, const PluginName& name, std::ostream& out) {
  const std::string folder = options.folder.empty() ? name.kebab : options.folder;
  BERTH_RETURN_IF_ERROR(MakeFolder(folder));
  const Words in_text = {{"{{name}}", name.name},
                         {"{{class}}", name.class_name},
                         {"{{snake}}", name.snake},
                         {"{{kebab}}", name.kebab},
                         {"{{folder}}", folder}};
  std::string next_steps;
  out << "Made " << folder << '\n';
  for (const PluginTemplate& file : PluginTemplates()) {
    if (file.language != options.language) continue;
    const std::string text = Filled(file.text, in_text);
    if (file.path == kNextSteps) {
      next_steps = text;
      continue;
    }
    const fs::path path = fs::path(folder) / Filled(file.path, {{"SNAKE", name.snake}});
    BERTH_RETURN_IF_ERROR(WriteFile(path, text));
    out << "  " << path.lexically_relative(folder).string() << '\n';
  }
  out << next_steps;
  return {};
}

}  // namespace

int RunPluginNew(const PluginNewOptions& options, const framework::Registry& registry, const Streams& streams) {
  const Result<PluginName> name = NewPluginName(options.name, registry);
  if (!name) {
    *streams.err << "berth plugin new: " << name.error().message << '\n';
    return kExitUsage;
  }
  if (const Result<void> written = WriteProject(options, *name, *streams.out); !written) {
    *streams.err << "berth plugin new: " << written.error().message << '\n';
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace berth::cmd
