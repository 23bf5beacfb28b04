// SPDX-License-Identifier: Apache-2.0
#include "plugins/registry.h"

#include <cctype>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

// NodeResourcesFit → node_resources_fit
std::string FolderOf(const std::string& plugin) {
  std::string folder;
  for (const char c : plugin) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !folder.empty()) folder += '_';
    folder += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return folder;
}

TEST(Registry, EveryPluginHasTheFolderOfItsName) {
  const std::filesystem::path plugins = std::filesystem::path(BERTH_SOURCE_DIR) / "src/plugins";
  const framework::Registry registry = InTreeRegistry();
  for (const framework::PluginEntry& entry : registry.entries()) {
    EXPECT_TRUE(std::filesystem::exists(plugins / FolderOf(entry.name))) << entry.name;
  }
}

TEST(Registry, NamesAreTakenOnce) {
  framework::Registry registry = InTreeRegistry();
  const framework::PluginEntry again = registry.entries().front();
  EXPECT_FALSE(registry.Add(again).has_value());
}

}  // namespace
}  // namespace berth::plugins
