// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/load_cluster.h"
#include "cmd/streams.h"
#include "framework/registry.h"
#include "plugin_check/plugin_bench.h"
#include "plugin_check/random_objects.h"

#include <string>
#include <vector>

namespace berth::cmd {

// What plugins are asked about: the objects of files or of a server, or random ones.
struct PluginTestOptions {
  ClusterOptions cluster;
  plugin_check::RandomObjectsOptions random;  // when no cluster is described
  std::vector<std::string> plugins;           // empty: the configuration's own, or else all of them
  bool wide = false;
  bool colour = false;
};

// `berth plugin test`: holds the plugins of a configuration to their contract, without a scheduler. kExitFailed when a
// rule is broken.
int RunPluginTest(const PluginTestOptions& options, const framework::Registry& registry, const Streams& streams);

// `berth plugin bench`: what the plugins of a configuration cost, beside one that does next to nothing.
int RunPluginBench(const PluginTestOptions& options, const plugin_check::BenchOptions& bench,
                   const framework::Registry& registry, const Streams& streams);

}  // namespace berth::cmd
