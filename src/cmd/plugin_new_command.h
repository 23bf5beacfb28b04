// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/streams.h"
#include "framework/registry.h"

#include <string>

namespace berth::cmd {

struct PluginNewOptions {
  std::string name;
  std::string language = "cpp";  // one of PluginLanguages()
  std::string folder;            // empty: called like the plugin, in the current one
};

// `berth plugin new`: writes a project with a plugin that works, to begin from.
int RunPluginNew(const PluginNewOptions& options, const framework::Registry& registry, const Streams& streams);

}  // namespace berth::cmd
