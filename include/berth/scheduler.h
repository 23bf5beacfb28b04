// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/function_entry.h"
#include "framework/registry.h"

#include <concepts>
#include <string_view>
#include <utility>
#include <vector>

namespace berth {

// A plugin for a scheduler to know besides those that come with Berth.
struct PluginOption {
  framework::PluginEntry entry;
};

// A plugin by its class, which says how it is built (framework/registry.h).
template <typename P>
PluginOption WithPlugin(std::string_view name) {
  return {framework::Entry<P>(name)};
}

// A plugin by a function that makes it (framework/function_entry.h):
//   WithPlugin("my-plugin", [&](const MyArgs& args, Handle& handle) { return std::make_shared<MyPlugin>(args, prices);
//   })
template <typename F>
PluginOption WithPlugin(std::string_view name, F factory) {
  return {framework::EntryMadeBy(name, std::move(factory))};
}

// The whole of `berth` with these plugins; returns the exit code for main. The program has every command of berth. When
// its first argument is an option, as in `my-scheduler --config=scheduler.yaml --v=3`, it is kube-scheduler: it takes
// that one's flags and schedules the pods of a cluster. A name that is taken ends it with exit code 1.
int RunScheduler(int argc, char** argv, std::vector<PluginOption> plugins);

template <std::same_as<PluginOption>... Plugins>
int RunScheduler(int argc, char** argv, Plugins... plugins) {
  std::vector<PluginOption> all;
  (all.push_back(std::move(plugins)), ...);
  return RunScheduler(argc, argv, std::move(all));
}

}  // namespace berth
