// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cmd {

// A file of templates/plugin/<language>/, which the build makes part of the program. In the path, SNAKE stands for the
// plugin's name in snake_case; in the text, {{name}}, {{class}}, {{snake}}, {{kebab}} and {{folder}} are filled in.
// next_steps.txt is printed, not written.
struct PluginTemplate {
  std::string_view language;
  std::string_view path;  // below the project's folder
  std::string_view text;
};

// Sorted by language.
std::span<const PluginTemplate> PluginTemplates();

// The languages there are templates for.
std::vector<std::string> PluginLanguages();

}  // namespace berth::cmd
