// SPDX-License-Identifier: Apache-2.0
#include "config/known_plugins.h"
#include "config/load.h"
#include "config/test_registry.h"
#include "plugins/registry.h"

#include <gtest/gtest.h>

// The configuration tests plan with a table of names and points; the program plans with the plugins themselves.
namespace berth {
namespace {

TEST(RegistryPoints, PluginsServeThePointsTheTableSays) {
  const framework::Registry table = config::TestRegistry();
  const framework::Registry plugins = plugins::InTreeRegistry();
  for (const framework::PluginEntry& entry : plugins.entries()) {
    const framework::PluginEntry* listed = table.Find(entry.name);
    ASSERT_NE(listed, nullptr) << entry.name;
    for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
      EXPECT_EQ(entry.points.Has(point), listed->points.Has(point)) << entry.name << " " << framework::PointName(point);
    }
  }
}

TEST(RegistryPoints, EveryDefaultPluginExists) {
  const framework::Registry plugins = plugins::InTreeRegistry();
  for (const config::PluginRef& plugin : config::DefaultMultiPoint()) {
    EXPECT_NE(plugins.Find(plugin.name), nullptr) << plugin.name;
  }
}

}  // namespace
}  // namespace berth
