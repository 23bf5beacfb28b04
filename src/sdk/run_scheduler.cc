// SPDX-License-Identifier: Apache-2.0
#include "berth/scheduler.h"
#include "cmd/main_entry.h"
#include "cmd/streams.h"
#include "plugins/registry.h"

#include <iostream>

#include <fmt/format.h>

namespace berth {
namespace {

// Why the plugin's name cannot be had; empty when it can.
std::string ProblemWith(const framework::PluginEntry& entry, const framework::Registry& in_tree,
                        const framework::Registry& all) {
  if (entry.name.empty()) return "a plugin has no name";
  if (in_tree.Find(entry.name) != nullptr) {
    return fmt::format("a plugin cannot be called \"{}\": that one comes with Berth", entry.name);
  }
  if (all.Find(entry.name) != nullptr) return fmt::format("two plugins are called \"{}\"", entry.name);
  return "";
}

}  // namespace

int RunScheduler(int argc, char** argv, std::vector<PluginOption> plugins) {
  const framework::Registry in_tree = plugins::InTreeRegistry();
  framework::Registry all = in_tree;
  for (PluginOption& option : plugins) {
    if (const std::string problem = ProblemWith(option.entry, in_tree, all); !problem.empty()) {
      std::cerr << "berth: " << problem << '\n';
      return cmd::kExitFailed;
    }
    BERTH_CHECK(all.Add(std::move(option.entry)).has_value());
  }
  return cmd::SchedulerMain(argc, argv, all);
}

}  // namespace berth
