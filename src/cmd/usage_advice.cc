// SPDX-License-Identifier: Apache-2.0
#include "cmd/usage_advice.h"

#include "config/suggest.h"

#include <algorithm>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::cmd {
namespace {

// The innermost subcommand that was parsed.
const CLI::App& Reached(const CLI::App& app) {
  const std::vector<CLI::App*> below = app.get_subcommands();
  return below.empty() ? app : Reached(*below.front());
}

std::string PathOf(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : PathOf(*command.get_parent()) + " " + command.get_name();
}

// What would have been valid in place of the unknown argument.
std::vector<std::string> Candidates(const CLI::App& command, bool flags) {
  std::vector<std::string> names;
  if (flags) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* below : command.get_subcommands(nullptr)) names.push_back(below->get_name());
  }
  return names;
}

// The candidate most likely meant: a close one, or one that was abbreviated.
std::string Likely(const std::string& word, const std::vector<std::string>& candidates) {
  constexpr size_t kShortest = 4;
  if (std::string near = config::Nearest(word, candidates); !near.empty()) return near;
  if (word.size() < kShortest) return "";
  const auto it = std::find_if(candidates.begin(), candidates.end(),
                               [&](const auto& candidate) { return candidate.starts_with(word); });
  return it == candidates.end() ? "" : *it;
}

}  // namespace

std::string ReachedCommand(const CLI::App& app) { return PathOf(Reached(app)); }

std::string Complaint(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = Reached(app);
  const std::string path = PathOf(command);
  const std::vector<std::string> unknown = app.remaining(true);
  if (unknown.empty()) return fmt::format("{}: {}", path, error.what());
  const auto flag =
      std::find_if(unknown.begin(), unknown.end(), [](const auto& word) { return word.starts_with("-"); });
  const bool is_flag = flag != unknown.end();
  const std::string word = is_flag ? flag->substr(0, flag->find('=')) : unknown.front();
  const bool takes_commands = !command.get_subcommands(nullptr).empty();
  const std::string_view what = is_flag ? "flag" : takes_commands ? "command" : "argument";
  std::string text = fmt::format("{}: unknown {} \"{}\"", path, what, word);
  if (const std::string near = Likely(word, Candidates(command, is_flag)); !near.empty()) {
    text += fmt::format("; did you mean \"{}\"?", near);
  } else if (!is_flag && !takes_commands && command.get_option_no_throw("--filename") != nullptr) {
    text += "; files are named after -f";
  }
  return text;
}

}  // namespace berth::cmd
